import { WeightsUpdated, WeightStepOpened, WeightUpdateRequested } from '@whale/contracts';
import { createTable, flag, integer, projection, readTable, real, text } from '@whale/service-kit';

const KEY = { experiment_id: text, step_id: text };
const COLUMNS_1 = {
  /** Counts over the whole experiment, from 1. */
  step: integer,
  phase_id: text,
  cycle: integer,
  harness: text,
  weights_before: text,
  /** Place of the first prompt in the persistent sampler. */
  position: integer,
  prompts: integer,
  rollouts_per_prompt: integer,
  /** Rollouts that count as reward. */
  rollouts_measured: integer,
  /** The size of S⁺. */
  rollouts_accepted: integer,
  /** Mean verifier reward. */
  reward: real,
  update_attempts: integer,
  weights_after: text,
  weights_changed: flag,
  samples: integer,
  loss: real,
  tokens_trained: integer,
  tokens_processed: integer,
};

const table = readTable({ name: 'weight_steps', key: KEY, columns: COLUMNS_1 });

/** One row a weight step: the rollouts, their reward, and the update that follows. */
export const weightSteps = projection({
  table,
  migrations: [createTable('CreateWeightSteps1759000003000', table.name, KEY, COLUMNS_1)],
  consumes: [WeightStepOpened, WeightUpdateRequested, WeightsUpdated],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId, step_id: event.data.stepId };
    switch (event.type) {
      case 'whale.weight-step.opened.v1': {
        const { step, phaseId, cycle, harness, weights, position, taskIds, rolloutsPerPrompt } = event.data;
        return [
          {
            key,
            set: {
              step,
              phase_id: phaseId,
              cycle,
              harness: harness.id,
              weights_before: weights.version,
              position,
              prompts: taskIds.length,
              rollouts_per_prompt: rolloutsPerPrompt,
            },
          },
        ];
      }
      case 'whale.weight-update.requested.v1': {
        const { rollouts, accepted, reward, attempt } = event.data;
        return [
          {
            key,
            set: {
              rollouts_measured: rollouts,
              rollouts_accepted: accepted.length,
              reward,
              update_attempts: attempt,
            },
          },
        ];
      }
      case 'whale.weights.updated.v2': {
        const { weights, changed, samples, loss, tokens } = event.data;
        return [
          {
            key,
            set: {
              weights_after: weights.version,
              weights_changed: changed,
              samples,
              loss,
              tokens_trained: tokens.trained,
              tokens_processed: tokens.processed,
            },
          },
        ];
      }
      default:
        return event satisfies never;
    }
  },
});
