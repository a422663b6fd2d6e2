import type { Estimate } from '@whale/contracts';

/** z of a two-sided 95% interval. */
export const Z = 1.959963984540054;

/**
 * Proportion with its Wilson score interval (Wilson 1927), which stays inside [0, 1] and is honest for small n.
 * Throws RangeError unless 0 ≤ successes ≤ n; n = 0 gives the interval [0, 1] around 0.
 */
export function estimate(successes: number, n: number): Estimate {
  if (!Number.isInteger(successes) || !Number.isInteger(n) || successes < 0 || n < successes) {
    throw new RangeError(`not a proportion: ${successes} of ${n}`);
  }
  if (n === 0) return { mean: 0, n: 0, low: 0, high: 1 };
  const mean = successes / n;
  const z2 = Z * Z;
  const centre = (mean + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((mean * (1 - mean)) / n + z2 / (4 * n * n));
  return { mean, n, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
