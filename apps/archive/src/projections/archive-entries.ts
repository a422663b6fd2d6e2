import { HarnessScored, IncumbentChanged } from '@whale/contracts';
import { createTable, integer, projection, readTable, real, text } from '@whale/service-kit';

const KEY = { experiment_id: text, evaluation_id: text };
const COLUMNS_1 = {
  phase_id: text,
  cycle: integer,
  /** 0 for h_k, with which the phase's archive begins. */
  iteration: integer,
  /** Place among the iteration's candidates, from 0. */
  candidate: integer,
  harness: text,
  weights: text,
  /** correct / measured; null when nothing could be measured. */
  score: real,
  measured: integer,
  correct: integer,
  incorrect: integer,
  truncated: integer,
  harness_error: integer,
  infrastructure_error: integer,
  verifier_error: integer,
  tokens_prompt: integer,
  tokens_sampled: integer,
  /** The phase's arg max after this entry. */
  incumbent: text,
  /** The harness that this entry unseated; null when it was not accepted. */
  replaced_harness: text,
};

const table = readTable({ name: 'archive_entries', key: KEY, columns: COLUMNS_1 });

/** One row for each (θ, h) pair that a harness search has scored. */
export const archiveEntries = projection({
  table,
  migrations: [createTable('CreateArchiveEntries1759000005000', table.name, KEY, COLUMNS_1)],
  consumes: [HarnessScored, IncumbentChanged],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId, evaluation_id: event.data.evaluationId };
    if (event.type === 'whale.incumbent.changed.v1') return [{ key, set: { replaced_harness: event.data.from } }];
    const {
      phaseId,
      cycle,
      iteration,
      index,
      harnessId,
      weightsVersion,
      score,
      measured,
      outcomes,
      tokens,
      incumbent,
    } = event.data;
    return [
      {
        key,
        set: {
          phase_id: phaseId,
          cycle,
          iteration,
          candidate: index,
          harness: harnessId,
          weights: weightsVersion,
          score,
          measured,
          ...outcomes,
          tokens_prompt: tokens.prompt,
          tokens_sampled: tokens.sampled,
          incumbent,
        },
      },
    ];
  },
});
