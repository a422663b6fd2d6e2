import { diagnosticsOf, measuredOf, rounded, scoreWithInterval, type Measurement } from './measurement.ts';
import type { WorkspaceView } from './view.ts';

const MOST_RANKED = 20;
/** Harnesses named for one task. */
const MOST_SOLVERS = 8;

interface Standing {
  harness: string;
  measurement: Measurement;
}

/**
 * The measurements under the present θ, best first, ties in the order of scoring. Scores under other weights are not
 * comparable, so they are not in it.
 */
export function standings({ harnesses, weights }: WorkspaceView): Standing[] {
  return harnesses
    .flatMap(({ folder, measurements }) => {
      const measurement = measurements.findLast((one) => one.weights === weights);
      return measurement ? [{ harness: folder, measurement }] : [];
    })
    .sort((a, b) => (b.measurement.score ?? -1) - (a.measurement.score ?? -1));
}

export type Frontier = ReturnType<typeof frontier>;

/** frontier.json: who is best under the present θ, as a whole, by diagnostic and by task. */
export function frontier(view: WorkspaceView) {
  const all = standings(view);
  const byTask = resultsByTask(all, view.tasks);
  const incumbent = view.harnesses.find(({ id }) => id === view.incumbent);
  return {
    weights: view.weights,
    incumbent: incumbent?.folder ?? null,
    best: all.slice(0, MOST_RANKED).map(({ harness, measurement }) => {
      const { correct, measured, score } = measurement;
      const interval = scoreWithInterval(measurement);
      const [low, high] = [rounded(interval?.low ?? null), rounded(interval?.high ?? null)];
      return { harness, score: rounded(score), correct, measured, low, high };
    }),
    byDiagnostic: byDiagnostic(all),
    unsolved: byTask.filter(({ measured, solvers }) => measured > 0 && solvers.length === 0).map(({ task }) => task),
    tasks: Object.fromEntries(
      byTask.map(({ task, measured, solvers }) => [
        task,
        { solvedBy: solvers.length, of: measured, harnesses: solvers.slice(0, MOST_SOLVERS) },
      ]),
    ),
  };
}

/** Highest and lowest mean of each diagnostic: which of them is good is the domain's to say (domain.md). */
function byDiagnostic(all: readonly Standing[]) {
  const means = all.flatMap(({ harness, measurement }) =>
    Object.entries(diagnosticsOf(measurement)).map(([name, { mean }]) => ({ name, harness, mean: rounded(mean) })),
  );
  const names = [...new Set(means.map(({ name }) => name))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const own = means.filter((one) => one.name === name);
      const pick = (better: (a: number, b: number) => boolean) => {
        const { harness, mean } = own.reduce((best, one) => (better(one.mean, best.mean) ? one : best));
        return { harness, mean };
      };
      return [name, { highest: pick((a, b) => a > b), lowest: pick((a, b) => a < b) }];
    }),
  );
}

/** For each task how many have a measured rollout of it, and who solved it, the best first. */
function resultsByTask(all: readonly Standing[], tasks: readonly string[]) {
  const results = new Map(tasks.map((task) => [task, { task, measured: 0, solvers: [] as string[] }]));
  for (const { harness, measurement } of all) {
    for (const task of measuredOf(measurement)) {
      const result = results.get(task.taskId);
      if (result === undefined) continue;
      result.measured++;
      if (task.outcome === 'correct') result.solvers.push(harness);
    }
  }
  return [...results.values()];
}
