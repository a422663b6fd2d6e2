import { isMeasured, type Diagnostics } from '@whale/contracts';
import type { ArchiveEntry } from '../proposer.ts';

/** How the failed rollouts of a harness fared by one diagnostic. */
export interface Lack {
  name: string;
  /** The diagnostic is bad when it is high or true, like truncation. */
  isFault: boolean;
  /** Failures that the diagnostic was reported for and came out bad. */
  lacking: number;
  failures: number;
  /** Share of failures that lack it minus share of successes that do, in [0, 1]: how much it tells of failure. */
  excess: number;
}

export interface Diagnosis {
  correct: number;
  measured: number;
  lacks: readonly Lack[];
}

type TaskResult = ArchiveEntry['tasks'][number];

/**
 * What the failed tasks of `tasks` lack. Which value of a diagnostic is the bad one is learnt from `reference`: the
 * value that goes with failure. Where it goes with neither, true and high are good, and truncation is not.
 */
export function diagnose(tasks: readonly TaskResult[], reference: readonly TaskResult[]): Diagnosis {
  const measured = tasks.filter((task) => isMeasured(task.outcome));
  const failures = measured.filter((task) => task.outcome !== 'correct');
  const successes = measured.filter((task) => task.outcome === 'correct');
  const names = [...new Set(measured.flatMap((task) => Object.keys(task.diagnostics)))].sort();
  const lacks = names.map((name): Lack => {
    const { isBad, isFault } = badness(name, reference);
    const lacking = failures.filter((task) => isBad(task.diagnostics[name])).length;
    const inSuccesses = successes.filter((task) => isBad(task.diagnostics[name])).length;
    const excess = lacking / Math.max(1, failures.length) - inSuccesses / Math.max(1, successes.length);
    return { name, isFault, lacking, failures: failures.length, excess: Math.max(0, excess) };
  });
  return { correct: successes.length, measured: measured.length, lacks };
}

function badness(
  name: string,
  reference: readonly TaskResult[],
): { isFault: boolean; isBad(value: Diagnostics[string] | undefined): boolean } {
  const good = mean(name, reference, (task) => task.outcome === 'correct');
  const bad = mean(name, reference, (task) => isMeasured(task.outcome) && task.outcome !== 'correct');
  const lowIsBad =
    good === undefined || bad === undefined || Math.abs(good - bad) < 0.02 ? name !== 'truncation' : good > bad;
  // Between the two means; booleans count as 0 and 1, so for them anything strictly between does.
  const threshold = good === undefined || bad === undefined || good === bad ? 0.5 : (good + bad) / 2;
  return {
    isFault: !lowIsBad,
    isBad: (value) => {
      if (typeof value === 'boolean') return value !== lowIsBad;
      if (typeof value !== 'number') return false;
      return lowIsBad ? value < threshold : value > threshold;
    },
  };
}

function mean(name: string, tasks: readonly TaskResult[], take: (task: TaskResult) => boolean): number | undefined {
  const values = tasks.filter(take).flatMap((task) => {
    const value = task.diagnostics[name];
    return typeof value === 'boolean' ? [Number(value)] : typeof value === 'number' ? [value] : [];
  });
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
