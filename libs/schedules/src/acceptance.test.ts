import { describe, expect, test } from 'vitest';
import { argmax, confirmed, confirmRule, iterationRollouts } from './acceptance.ts';
import type { PairedComparison } from './paired.ts';

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

describe('confirmation', () => {
  const compared = (mean: number | null, p: number | null): PairedComparison => ({
    ...{ tasks: 9, better: 0, worse: 0, equal: 9, low: null, high: null },
    mean,
    p,
  });

  test.each([
    ['any margin is enough at a level of 0.5', 1e-9, 0.5, 0.5, 'better'],
    ['a tie keeps the incumbent', 0, 0.6, 0.5, 'not-better'],
    ['a challenger that is worse is refused', -0.2, 0.9, 0.5, 'not-better'],
    ['p at the level is enough', 0.1, 0.05, 0.05, 'better'],
    ['p above the level is not', 0.1, 0.0501, 0.05, 'not-significant'],
    ['nothing measured is no win', null, null, 0.5, 'unmeasured'],
  ])('%s', (_, mean, p, level, reason) => {
    expect(confirmed(compared(mean, p), { rolloutsPerTask: 2, level })).toEqual({
      accepted: reason === 'better',
      reason,
    });
  });

  test('is of two rollouts a task at p ≤ 0.1 unless the spec says otherwise, and there only where it is asked for', () => {
    const harness = { candidates: 3, acceptance: 'confirm' as const };
    expect(confirmRule({ harness })).toEqual({ rolloutsPerTask: 2, level: 0.1 });
    expect(confirmRule({ harness: { ...harness, confirm: { rolloutsPerTask: 8, level: 0.05 } } })).toEqual({
      rolloutsPerTask: 8,
      level: 0.05,
    });
    expect(confirmRule({ harness: { candidates: 3, acceptance: 'argmax' } })).toBeNull();
  });

  test('is paid for before its iteration begins', () => {
    expect(iterationRollouts({ harness: { candidates: 3, acceptance: 'argmax' } }, 10)).toBe(30);
    expect(iterationRollouts({ harness: { candidates: 3, acceptance: 'confirm' } }, 10)).toBe(70);
  });
});
