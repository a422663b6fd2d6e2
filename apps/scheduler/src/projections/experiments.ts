import { ExperimentEnded, ExperimentStarted, type ExperimentEnded as Ended } from '@whale/contracts';
import { createTable, integer, json, projection, readTable, real, text } from '@whale/service-kit';

const KEY = { experiment_id: text };
const COLUMNS_1 = {
  name: text,
  strategy: text,
  seed: integer,
  domain: text,
  dataset: text,
  spec: json,
  initial_weights: text,
  initial_harness: text,
  tasks_weight: integer,
  tasks_harness: integer,
  tasks_validation: integer,
  tasks_test: integer,
  /** running, completed, failed, cancelled */
  status: text,
  end_reason: text,
  base_test_mean: real,
  base_test_low: real,
  base_test_high: real,
  base_test_n: integer,
  best_weights: text,
  best_harness: text,
  best_cycle: integer,
  /** validation, last */
  best_chosen_on: text,
  best_test_mean: real,
  best_test_low: real,
  best_test_high: real,
  best_test_n: integer,
  best_on_test_weights: text,
  best_on_test_harness: text,
  best_on_test_mean: real,
  rollouts_weight: integer,
  rollouts_harness: integer,
  rollouts_evaluation: integer,
  tokens_prompt: integer,
  tokens_sampled: integer,
  tokens_trained: integer,
  tokens_processed: integer,
  proposer_calls: integer,
};

const table = readTable({ name: 'experiments', key: KEY, columns: COLUMNS_1 });

/** One row an experiment: what was asked for, and the result. */
export const experiments = projection({
  table,
  migrations: [createTable('CreateExperiments1759000001000', table.name, KEY, COLUMNS_1)],
  consumes: [ExperimentStarted, ExperimentEnded],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId };
    if (event.type === 'whale.experiment.ended.v1') return [{ key, set: result(event.data) }];
    const { spec, weights, harness, splits } = event.data;
    return [
      {
        key,
        set: {
          name: spec.name,
          strategy: spec.strategy.kind,
          seed: spec.seed,
          domain: spec.domain.name,
          dataset: spec.domain.dataset,
          spec,
          initial_weights: weights.version,
          initial_harness: harness.id,
          tasks_weight: splits.weight.length,
          tasks_harness: splits.harness.length,
          tasks_validation: splits.validation.length,
          tasks_test: splits.test.length,
          status: 'running',
        },
      },
    ];
  },
});

function result({ status, reason, base, best, bestOnTest, ledger }: Ended['data']) {
  const { rollouts, tokens, proposer } = ledger;
  return {
    status,
    end_reason: reason,
    base_test_mean: base?.test.mean ?? null,
    base_test_low: base?.test.low ?? null,
    base_test_high: base?.test.high ?? null,
    base_test_n: base?.test.n ?? null,
    best_weights: best?.weights ?? null,
    best_harness: best?.harness ?? null,
    best_cycle: best?.cycle ?? null,
    best_chosen_on: best?.chosenOn ?? null,
    best_test_mean: best?.test.mean ?? null,
    best_test_low: best?.test.low ?? null,
    best_test_high: best?.test.high ?? null,
    best_test_n: best?.test.n ?? null,
    best_on_test_weights: bestOnTest?.weights ?? null,
    best_on_test_harness: bestOnTest?.harness ?? null,
    best_on_test_mean: bestOnTest?.test.mean ?? null,
    rollouts_weight: rollouts.weight,
    rollouts_harness: rollouts.harness,
    rollouts_evaluation: rollouts.evaluation,
    tokens_prompt: tokens.prompt,
    tokens_sampled: tokens.sampled,
    tokens_trained: tokens.trained,
    tokens_processed: tokens.processed,
    proposer_calls: proposer.calls,
  };
}
