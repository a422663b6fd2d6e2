import type { ExperimentView, PairId, TaskResult } from './view.ts';

/** One test task that the base gets wrong and the best pair gets right, with a rollout of each. */
export interface Showcase {
  taskId: string;
  before: { rolloutId: string; correct: number; measured: number };
  after: { rolloutId: string; correct: number; measured: number };
}

/**
 * The task with the widest step from wrong to right: wrong in most samples by `base`, right in most by `best`; ties go
 * to the lower task id. Of the samples, the first that is wrong and the first that is right. Null when there is none.
 */
export function showcase(view: ExperimentView, base: PairId, best: PairId): Showcase | null {
  const key = (pair: PairId) => `${pair.weights}/${pair.harness}`;
  const before = new Map((view.tasks.get(key(base)) ?? []).map((task) => [task.taskId, task]));
  const candidates = (view.tasks.get(key(best)) ?? []).flatMap((after) => {
    const earlier = before.get(after.taskId);
    if (!earlier || share(earlier) >= 0.5 || share(after) <= 0.5) return [];
    return [{ taskId: after.taskId, earlier, after, step: share(after) - share(earlier) }];
  });
  candidates.sort((a, b) => b.step - a.step || (a.taskId < b.taskId ? -1 : 1));
  for (const { taskId, earlier, after } of candidates) {
    // An incorrect answer tells more than a rollout that was cut off.
    const wrong =
      earlier.samples.find((sample) => sample.outcome === 'incorrect') ??
      earlier.samples.find((sample) => sample.outcome === 'truncated' || sample.outcome === 'harness_error');
    const right = after.samples.find((sample) => sample.outcome === 'correct');
    if (!wrong || !right) continue;
    const side = (task: TaskResult, rolloutId: string) => ({
      rolloutId,
      correct: task.correct,
      measured: task.measured,
    });
    return { taskId, before: side(earlier, wrong.rolloutId), after: side(after, right.rolloutId) };
  }
  return null;
}

function share({ correct, measured }: TaskResult): number {
  return measured === 0 ? 0 : correct / measured;
}
