import { createHash } from 'node:crypto';

/**
 * Deterministic random stream (sfc32) seeded by the sha256 of a string, so that independent streams are named, not
 * numbered: `rng('experiment-1/sampler/epoch-0')`. Not for secrets.
 */
export interface Rng {
  /** Uniform in [0, 1) with 32 bits. */
  float(): number;
  /** Uniform integer in [0, bound). Throws RangeError unless 0 < bound <= 2^32. */
  int(bound: number): number;
  /** One element, uniformly. Throws RangeError on an empty list. */
  pick<T>(items: readonly T[]): T;
  /** A new, shuffled array (Fisher-Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

export function rng(seed: string): Rng {
  const digest = createHash('sha256').update(seed).digest();
  let a = digest.readInt32LE(0);
  let b = digest.readInt32LE(4);
  let c = digest.readInt32LE(8);
  let counter = digest.readInt32LE(12);

  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };

  const float = () => next() / 2 ** 32;
  const int = (bound: number) => {
    if (!Number.isInteger(bound) || bound <= 0 || bound > 2 ** 32) throw new RangeError(`bound out of range: ${bound}`);
    return Math.floor(float() * bound);
  };
  return {
    float,
    int,
    pick<T>(items: readonly T[]): T {
      return items[int(items.length)] as T;
    },
    shuffle<T>(items: readonly T[]): T[] {
      const out = [...items];
      for (let i = out.length - 1; i > 0; i--) {
        const j = int(i + 1);
        const swap = out[i] as T;
        out[i] = out[j] as T;
        out[j] = swap;
      }
      return out;
    },
  };
}
