import { expect, it } from 'vitest';
import { backOffMs, checkCheckpoint, DEFAULT_BACK_OFF } from './delivery.ts';

it('pauses double up to the longest', () => {
  const pauses = [0, 1, 2, 5, 6, 5_000].map((failures) => backOffMs(failures, DEFAULT_BACK_OFF));
  expect(pauses).toEqual([100, 200, 400, 3_200, 5_000, 5_000]);
});

it('a checkpoint at which nothing can begin is refused', () => {
  const check = (next: number) => () => checkCheckpoint('t/0', next, 7, 'the log was replaced');
  expect(check(7)).not.toThrow();
  expect(check(8)).toThrow('checkpoint 8 of t/0 lies past the end of the log (7): the log was replaced');
  expect(check(-1)).toThrow(RangeError);
  expect(check(0.5)).toThrow(RangeError);
});
