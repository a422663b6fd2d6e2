import { Z } from './estimate.ts';
import { signFlip } from './sign-flip.ts';

/** Rollouts of one task under one harness; infrastructure and verifier errors are not measured. */
export interface TaskTally {
  correct: number;
  measured: number;
}

export interface TaskPair {
  challenger: TaskTally;
  incumbent: TaskTally;
}

/** Two harnesses on the same tasks; scores in [0, 1], differences challenger − incumbent in [−1, 1]. */
export interface PairedComparison {
  /** Tasks with a measured rollout on both sides; the others say nothing, and the numbers are null without any. */
  tasks: number;
  /** Tasks on which the challenger's score is higher, lower, the same. */
  better: number;
  worse: number;
  equal: number;
  /** Mean over tasks of the difference of scores. */
  mean: number | null;
  /** Its 95% interval. */
  low: number | null;
  high: number | null;
  /** One-sided, exact: P(a mean at least this high), were the two harnesses the same on each task. */
  p: number | null;
}

/**
 * The interval is the adjusted Wald interval of Bonett and Price (2012, J. Educ. Behav. Stat. 37:479–488): a task with +1
 * and one with −1 are added, so that it has a width also where all differences are the same. With one rollout a task it is
 * theirs for paired proportions; with more it is wider than it need be. Only + − × ÷ √, so the same on every machine.
 */
export function comparePaired(pairs: readonly TaskPair[]): PairedComparison {
  const both = pairs.filter(({ challenger, incumbent }) => challenger.measured > 0 && incumbent.measured > 0);
  const n = both.length;
  if (n === 0) return { tasks: 0, better: 0, worse: 0, equal: 0, mean: null, low: null, high: null, p: null };

  // In whole parts of a common unit, so that sums are exact and a tie is a tie.
  const unit = both.reduce(
    (all, { challenger, incumbent }) => lcm(lcm(all, challenger.measured), incumbent.measured),
    1,
  );
  const parts = ({ correct, measured }: TaskTally) => correct * (unit / measured);
  const differences = both.map(({ challenger, incumbent }) => parts(challenger) - parts(incumbent));

  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  const sum = differences.reduce((total, difference) => total + difference, 0) / unit;
  const squares = differences.reduce((total, difference) => total + difference * difference, 0) / (unit * unit);
  const centre = sum / (n + 2);
  const half = Z * Math.sqrt(((squares + 2) / (n + 2) - centre * centre) / (n + 2));
  return {
    tasks: n,
    better,
    worse,
    equal: n - better - worse,
    mean: sum / n,
    low: Math.max(-1, centre - half),
    high: Math.min(1, centre + half),
    p: signFlip(differences),
  };
}

function lcm(a: number, b: number): number {
  return (a / gcd(a, b)) * b;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
