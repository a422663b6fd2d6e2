/**
 * Fisher's sign-flip (paired permutation) test, one-sided and exact (The Design of Experiments, 1935, §21): were the two
 * sides the same on each task, each difference would be as likely with the other sign. P(sum ≥ observed) over all 2^n
 * choices of signs, by adding one difference at a time to the distribution of the sum. With differences of −1, 0, 1 it is
 * the exact sign test, McNemar's. `differences` are integers; a sum S of their sizes costs n·S steps.
 */
export function signFlip(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  if (!sizes.every(Number.isInteger)) throw new RangeError('differences must be whole numbers of a unit');
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const positive = differences.reduce((sum, difference) => sum + Math.max(0, difference), 0);

  // The sum is at least the observed one just when the sizes with a plus add up to at least `positive`.
  const chance = new Float64Array(all + 1);
  chance[0] = 1;
  let reached = 0;
  for (const size of sizes) {
    reached += size;
    for (let sum = reached; sum >= 0; sum--) {
      const withMinus = chance[sum] as number;
      const withPlus = sum >= size ? (chance[sum - size] as number) : 0;
      chance[sum] = (withMinus + withPlus) / 2;
    }
  }
  let p = 0;
  for (let sum = all; sum >= positive; sum--) p += chance[sum] as number;
  return Math.min(1, p);
}
