import { expect, test } from 'vitest';
import { argmax } from './acceptance.ts';

const incumbent = (score: number | null) => ({ harnessId: 'incumbent', score });
const challenger = (score: number | null) => ({ harnessId: 'challenger', score });

test.each([
  ['a higher score wins', 0.5, 0.5 + Number.EPSILON, 'challenger'],
  ['a tie keeps the incumbent', 0.5, 0.5, 'incumbent'],
  ['a tie at zero keeps the incumbent', 0, 0, 'incumbent'],
  ['a lower score loses', 0.5, 0.4, 'incumbent'],
  ['an unmeasured challenger never wins', 0, null, 'incumbent'],
  ['an unmeasured incumbent loses to any score', null, 0, 'challenger'],
  ['nor does an unmeasured challenger beat an unmeasured incumbent', null, null, 'incumbent'],
])('%s', (_, held, offered, winner) => {
  expect(argmax(incumbent(held), challenger(offered)).harnessId).toBe(winner);
});
