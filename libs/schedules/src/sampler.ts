import { rng } from '@whale/kernel';

/**
 * The persistent shuffled sampler of D_weight (DESIGN §5): an endless sequence of epochs, each its own permutation.
 * Phase k with E epochs consumes the positions [kE, (k+1)E) in units of |D_weight|.
 */
export function promptAt(taskIds: readonly string[], seed: number, position: number): string {
  if (taskIds.length === 0) throw new RangeError('D_weight is empty');
  const epoch = Math.floor(position / taskIds.length);
  const place = permutation(taskIds.length, seed, epoch)[position % taskIds.length] as number;
  return taskIds[place] as string;
}

export function promptsAt(taskIds: readonly string[], seed: number, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => promptAt(taskIds, seed, from + i));
}

/** Prompts in `epochs` of a set of `size`, at least one. */
export function promptsIn(epochs: number, size: number): number {
  return Math.max(1, Math.round(epochs * size));
}

const cache = new Map<string, number[]>();

/** The order of places in an epoch. A pure function of its arguments; the cache only saves shuffling for each prompt. */
function permutation(size: number, seed: number, epoch: number): number[] {
  const key = `${seed}/${epoch}/${size}`;
  let order = cache.get(key);
  if (!order) {
    order = rng(`sampler/${seed}/epoch/${epoch}`).shuffle(Array.from({ length: size }, (_, place) => place));
    if (cache.size > 64) cache.clear();
    cache.set(key, order);
  }
  return order;
}
