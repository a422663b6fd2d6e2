import { expect, it } from 'vitest';
import { Silence } from './silence.ts';

const MINUTE = 60_000;

it('silence is told after two minutes, then each time it has doubled, until something is heard', () => {
  const silence = new Silence(0);
  const toldAt = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => from + i).filter((minute) => silence.due(minute * MINUTE) !== null);
  expect(toldAt(0, 10)).toEqual([2, 4, 8]);
  silence.heard(10 * MINUTE);
  expect(toldAt(10, 15)).toEqual([12, 14]);
  expect(silence.due(100 * MINUTE)).toMatch(/^no event for 1:30:00; `whale doctor`/u);
});
