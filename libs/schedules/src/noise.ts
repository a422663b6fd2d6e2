import type { ConfirmRule } from '@whale/contracts';
import type { TaskTally } from './paired.ts';

/** A search whose candidates are all the incumbent under other names: whatever it accepts is noise (an A/A search). */
export interface IdenticalSearch {
  /** P(correct) of one rollout, by task. */
  tasks: readonly number[];
  /** Candidates scored in each iteration, one rollout a task each. */
  batches: readonly number[];
}

/** Too rare to matter to any digit that is shown. */
const NEGLIGIBLE = 1e-9;

/**
 * P(correct) by task, as its rollouts tell it. With one or two rollouts a task the shares themselves would leave no noise
 * at all, so each is drawn to the mean of all tasks with the weight of one rollout. Null where nothing was measured.
 */
export function taskProbabilities(tallies: readonly TaskTally[]): number[] | null {
  const correct = tallies.reduce((sum, tally) => sum + tally.correct, 0);
  const measured = tallies.reduce((sum, tally) => sum + tally.measured, 0);
  if (measured === 0) return null;
  return tallies.map((tally) => (tally.correct + correct / measured) / (tally.measured + 1));
}

/** P(an A/A search accepts at least one candidate) by arg max: some score is strictly above the incumbent's. Exact. */
export function argmaxAcceptsNoise({ tasks, batches }: IdenticalSearch): number {
  const candidates = batches.reduce((sum, batch) => sum + batch, 0);
  return overIncumbentScores(tasks, (above) => 1 - power(1 - above, candidates));
}

/**
 * The same with confirmation: after each iteration the best candidate above the incumbent that has not been refused is
 * measured again beside it. Exact where any difference above 0 is enough (level 0.5); below that an upper bound, since an
 * exact test accepts noise with at most the level's probability.
 */
export function confirmAcceptsNoise({ tasks, batches }: IdenticalSearch, rule: ConfirmRule): number {
  const confirms = Math.min(freshAbove(tasks, rule.rolloutsPerTask), rule.level);
  return overIncumbentScores(tasks, (above) => 1 - allRefused(batches, above, 1 - confirms));
}

/** Mean over the incumbent's score of f(P(one candidate's score is above it)). */
function overIncumbentScores(tasks: readonly number[], f: (above: number) => number): number {
  const chance = countsOf(tasks);
  let mean = 0;
  let above = 0;
  for (let score = tasks.length; score >= 0; score--) {
    const here = chance[score] as number;
    if (here > NEGLIGIBLE) mean += here * f(above);
    above += here;
  }
  return mean;
}

/** P(the total of fresh rollouts is above that of the same harness): totals are alike, so half of what is no tie. */
function freshAbove(tasks: readonly number[], rolloutsPerTask: number): number {
  const chance = countsOf(tasks.flatMap((p) => Array.from({ length: rolloutsPerTask }, () => p)));
  return (1 - chance.reduce((sum, p) => sum + p * p, 0)) / 2;
}

/** P(no confirmation accepts), each refused with P `refuses`. Rivals that were not refused yet wait for the next iteration. */
function allRefused(batches: readonly number[], above: number, refuses: number): number {
  let waiting = [1];
  for (const batch of batches) {
    const rivals = convolve(waiting, countsOf(Array.from({ length: batch }, () => above)));
    const [none = 0, ...some] = rivals;
    waiting = some.map((p) => p * refuses);
    waiting[0] = (waiting[0] ?? 0) + none;
  }
  return waiting.reduce((sum, p) => sum + p, 0);
}

/** Distribution of the number of successes of independent trials (Poisson binomial), by adding one at a time. */
function countsOf(probabilities: readonly number[]): number[] {
  const chance = new Array<number>(probabilities.length + 1).fill(0);
  chance[0] = 1;
  for (const [i, p] of probabilities.entries()) {
    for (let count = i + 1; count > 0; count--) {
      chance[count] = (chance[count] as number) * (1 - p) + (chance[count - 1] as number) * p;
    }
    chance[0] = (chance[0] as number) * (1 - p);
  }
  return chance;
}

function convolve(a: readonly number[], b: readonly number[]): number[] {
  const sum = new Array<number>(a.length + b.length - 1).fill(0);
  for (const [i, x] of a.entries()) {
    for (const [j, y] of b.entries()) sum[i + j] = (sum[i + j] as number) + x * y;
  }
  return sum;
}

function power(base: number, exponent: number): number {
  let product = 1;
  for (let i = 0; i < exponent; i++) product *= base;
  return product;
}
