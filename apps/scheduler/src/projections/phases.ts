import { PhaseEnded, PhaseStarted } from '@whale/contracts';
import { createTable, integer, json, projection, readTable, real, text } from '@whale/service-kit';

const KEY = { experiment_id: text, phase_id: text };
const COLUMNS_1 = {
  cycle: integer,
  /** weight, harness */
  kind: text,
  /** Prompts of a weight phase, iterations of a harness phase that it may have at the most. */
  maximum: integer,
  weights_before: text,
  harness_before: text,
  weights_after: text,
  harness_after: text,
  /** fixed, patience, maximum, rollout-budget, failed, cancelled; null while the phase runs. */
  end_reason: text,
  /** The numbers that decided, by name. */
  end_signal: json,
  weight_steps: integer,
  harness_iterations: integer,
  candidates: integer,
  rollouts: integer,
  epochs: real,
};

const table = readTable({ name: 'phases', key: KEY, columns: COLUMNS_1 });

/** One row a phase: what it began with, what it came to and why it ended. */
export const phases = projection({
  table,
  migrations: [createTable('CreatePhases1759000002000', table.name, KEY, COLUMNS_1)],
  consumes: [PhaseStarted, PhaseEnded],
  project: (event) => {
    const { experimentId, phaseId, cycle, kind, weights, harness } = event.data;
    const key = { experiment_id: experimentId, phase_id: phaseId };
    if (event.type === 'whale.phase.started.v1') {
      const { maximum } = event.data;
      return [{ key, set: { cycle, kind, maximum, weights_before: weights.version, harness_before: harness.id } }];
    }
    const { reason, signal, count, candidates, rollouts, epochs } = event.data;
    return [
      {
        key,
        set: {
          weights_after: weights.version,
          harness_after: harness.id,
          end_reason: reason,
          end_signal: signal,
          weight_steps: kind === 'weight' ? count : null,
          harness_iterations: kind === 'harness' ? count : null,
          candidates,
          rollouts,
          epochs,
        },
      },
    ];
  },
});
