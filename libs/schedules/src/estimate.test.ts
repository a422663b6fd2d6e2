import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimate } from './estimate.ts';

// Wilson score intervals at 95%, from R: binom::binom.wilson and prop.test(correct = FALSE).
test.each([
  [0, 10, 0, 0.2775328],
  [1, 10, 0.01787621, 0.40415],
  [5, 10, 0.2365931, 0.7634069],
  [10, 10, 0.7224672, 1],
  [15, 50, 0.1910301, 0.4375048],
  [81, 263, 0.2552702, 0.3662114],
])('%d of %d is [%d, %d]', (successes, n, low, high) => {
  const interval = estimate(successes, n);
  expect(interval.mean).toBe(successes / n);
  expect(interval.n).toBe(n);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test('nothing measured says nothing', () => {
  expect(estimate(0, 0)).toEqual({ mean: 0, n: 0, low: 0, high: 1 });
});

test('the interval lies in [0, 1], holds the mean, mirrors, and narrows with n', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
      const successes = Math.round(share * n);
      const { mean, low, high } = estimate(successes, n);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(mean + 1e-12);
      expect(high).toBeGreaterThanOrEqual(mean - 1e-12);
      const mirrored = estimate(n - successes, n);
      expect(mirrored.low).toBeCloseTo(1 - high, 10);
      const more = estimate(4 * successes, 4 * n);
      expect(more.high - more.low).toBeLessThan(high - low);
    }),
  );
});

test.each([
  [-1, 3],
  [4, 3],
  [0.5, 3],
  [0, -1],
  [1, NaN],
])('%d of %d is no proportion', (successes, n) => {
  expect(() => estimate(successes, n)).toThrow(RangeError);
});
