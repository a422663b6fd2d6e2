import { isMeasured, type Estimate, type HarnessScored, type Outcome } from '@whale/contracts';
import { estimate } from '@whale/schedules';

export type TaskResult = HarnessScored['data']['tasks'][number];

/** A harness on D_harness under one θ. */
export interface Measurement {
  evaluationId: string;
  phaseId: string;
  harnessId: string;
  weights: string;
  cycle: number;
  /** 0: when its phase began. */
  iteration: number;
  index: number;
  correct: number;
  measured: number;
  /** Null when nothing was measured. */
  score: number | null;
  /** One rollout each. */
  tasks: readonly TaskResult[];
  /** It became the incumbent of its phase; null while that is open. */
  accepted: boolean | null;
}

/** Those that a score counts. */
export function measuredOf({ tasks }: Pick<Measurement, 'tasks'>): TaskResult[] {
  return tasks.filter(({ outcome }) => isMeasured(outcome));
}

/** Null when nothing was measured: no interval says more than that. */
export function scoreWithInterval({ correct, measured }: Measurement): Estimate | null {
  return measured === 0 ? null : estimate(correct, measured);
}

export function outcomeCounts({ tasks }: Measurement): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of tasks) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** A diagnostic over the measured tasks that report it: the share that is true, or the mean of a number. */
export interface DiagnosticSummary {
  mean: number;
  of: number;
}

export function diagnosticsOf(measurement: Pick<Measurement, 'tasks'>): Record<string, DiagnosticSummary> {
  const values = new Map<string, number[]>();
  for (const task of measuredOf(measurement)) {
    for (const [name, value] of Object.entries(task.diagnostics)) {
      if (typeof value === 'string') continue;
      const list = values.get(name) ?? [];
      list.push(Number(value));
      values.set(name, list);
    }
  }
  return Object.fromEntries(
    [...values]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, list]) => [name, { mean: mean(list), of: list.length }]),
  );
}

/** Task by task, where both have a measured rollout. */
export interface Comparison {
  /** Ids of tasks that only the second solved, and only the first. */
  gained: string[];
  lost: string[];
  tasks: number;
}

export function compare(first: Measurement, second: Measurement): Comparison {
  const before = new Map(measuredOf(first).map((task) => [task.taskId, task.outcome]));
  const both = measuredOf(second).filter((task) => before.has(task.taskId));
  const solvedBefore = (task: TaskResult) => before.get(task.taskId) === 'correct';
  return {
    gained: both.filter((task) => task.outcome === 'correct' && !solvedBefore(task)).map(({ taskId }) => taskId),
    lost: both.filter((task) => task.outcome !== 'correct' && solvedBefore(task)).map(({ taskId }) => taskId),
    tasks: both.length,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** For people: four digits are more than one rollout a task can tell. */
export function rounded<T extends number | null>(value: T): T {
  return (value === null ? null : Math.round(value * 1e4) / 1e4) as T;
}
