import { EvaluationCompleted, EvaluationOpened } from '@whale/contracts';
import { createTable, integer, projection, readTable, real, text } from '@whale/service-kit';

const KEY = { experiment_id: text, evaluation_id: text };
const COLUMNS_1 = {
  /** validation, test */
  split: text,
  weights: text,
  harness: text,
  tasks: integer,
  rollouts_per_task: integer,
  mean: real,
  /** The 95% interval. */
  low: real,
  high: real,
  /** Measured rollouts. */
  n: integer,
  correct: integer,
  incorrect: integer,
  truncated: integer,
  harness_error: integer,
  infrastructure_error: integer,
  verifier_error: integer,
};

const table = readTable({ name: 'evaluations', key: KEY, columns: COLUMNS_1 });

/** One row for each pair measured on validation or test. Scores of a harness search are the archive's. */
export const evaluations = projection({
  table,
  migrations: [createTable('CreateEvaluations1759000004000', table.name, KEY, COLUMNS_1)],
  consumes: [EvaluationOpened, EvaluationCompleted],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId, evaluation_id: event.data.evaluationId };
    if (event.type === 'whale.evaluation.completed.v1') {
      const { estimate, outcomes } = event.data;
      return [{ key, set: { ...estimate, ...outcomes } }];
    }
    const { search, split, weights, harness, taskIds, rolloutsPerTask } = event.data;
    if (search) return [];
    const set = {
      split,
      weights: weights.version,
      harness: harness.id,
      tasks: taskIds.length,
      rollouts_per_task: rolloutsPerTask,
    };
    return [{ key, set }];
  },
});
