import { AcceptanceDecided, ConfirmationOpened } from '@whale/contracts';
import { createTable, flag, integer, projection, readTable, real, text } from '@whale/service-kit';

const KEY = { experiment_id: text, confirmation_id: text };
const COLUMNS_1 = {
  phase_id: text,
  cycle: integer,
  /** After which the challenger was the best of the archive. */
  iteration: integer,
  weights: text,
  challenger: text,
  incumbent: text,
  rollouts_per_task: integer,
  /** One rollout a task, by which the challenger was chosen. */
  challenger_search_score: real,
  incumbent_search_score: real,
  challenger_fresh_score: real,
  incumbent_fresh_score: real,
  /** Tasks with a measured fresh rollout of both. */
  tasks: integer,
  better: integer,
  worse: integer,
  equal: integer,
  /** Challenger minus incumbent; mean over tasks with its 95% interval. */
  difference: real,
  low: real,
  high: real,
  p: real,
  level: real,
  accepted: flag,
  /** better, not-better, not-significant, unmeasured; null while the rollouts are open. */
  reason: text,
};

const table = readTable({ name: 'acceptances', key: KEY, columns: COLUMNS_1 });

/** One row for each apparent winner that was measured again. */
export const acceptances = projection({
  table,
  migrations: [createTable('CreateAcceptances1759000007000', table.name, KEY, COLUMNS_1)],
  consumes: [ConfirmationOpened, AcceptanceDecided],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId, confirmation_id: event.data.confirmationId };
    if (event.type === 'whale.confirmation.opened.v1') {
      const { phaseId, cycle, iteration, weights, challenger, incumbent, rolloutsPerTask } = event.data;
      const set = {
        phase_id: phaseId,
        cycle,
        iteration,
        weights: weights.version,
        challenger: challenger.harness.id,
        incumbent: incumbent.harness.id,
        rollouts_per_task: rolloutsPerTask,
      };
      return [{ key, set }];
    }
    const { challenger, incumbent, paired, level, accepted, reason } = event.data;
    const { mean, ...statistics } = paired;
    return [
      {
        key,
        set: {
          challenger_search_score: challenger.search.score,
          incumbent_search_score: incumbent.search.score,
          challenger_fresh_score: challenger.fresh.score,
          incumbent_fresh_score: incumbent.fresh.score,
          ...statistics,
          difference: mean,
          level,
          accepted,
          reason,
        },
      },
    ];
  },
});
