import { HarnessScored } from '@whale/contracts';
import { createTable, integer, json, projection, readTable, text } from '@whale/service-kit';

const KEY = { experiment_id: text, evaluation_id: text, rollout_id: text };
const COLUMNS_1 = {
  task_id: text,
  cycle: integer,
  iteration: integer,
  harness: text,
  weights: text,
  outcome: text,
  diagnostics: json,
};

const table = readTable({ name: 'archive_outcomes', key: KEY, columns: COLUMNS_1 });

/** One row a task and entry: how the harness fared on each task of D_harness. */
export const archiveOutcomes = projection({
  table,
  migrations: [createTable('CreateArchiveOutcomes1759000006000', table.name, KEY, COLUMNS_1)],
  consumes: [HarnessScored],
  project: ({ data }) =>
    data.tasks.map(({ taskId, rolloutId, outcome, diagnostics }) => ({
      key: { experiment_id: data.experimentId, evaluation_id: data.evaluationId, rollout_id: rolloutId },
      set: {
        task_id: taskId,
        cycle: data.cycle,
        iteration: data.iteration,
        harness: data.harnessId,
        weights: data.weightsVersion,
        outcome,
        diagnostics,
      },
    })),
});
