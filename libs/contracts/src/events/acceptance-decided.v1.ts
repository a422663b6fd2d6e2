import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { Id } from '../primitives.ts';
import { OutcomeCounts } from '../shared.ts';

const count = z.int().nonnegative();
const difference = z.number().min(-1).max(1).nullable();

/** Rollouts that count as reward; `score` is correct / measured, null where nothing could be measured. */
const Total = z.strictObject({ score: z.number().nullable(), correct: count, measured: count });

const Side = z.strictObject({
  harnessId: z.string(),
  /** The evaluation that gave it its search score in this phase. */
  evaluationId: Id,
  /** One rollout a task, by which it was chosen: optimistic for a winner. */
  search: Total,
  /** By typed outcome; infrastructure and verifier errors are not part of `measured`. */
  fresh: Total.extend({ outcomes: OutcomeCounts }),
});

export const AcceptanceDecided = defineEvent({
  type: 'whale.acceptance.decided.v1',
  topic: 'whale.schedule.v1',
  summary: 'Fresh rollouts on paired tasks decided whether an apparent winner is accepted; with both totals.',
  key: (data) => data.experimentId,
  subject: (data) => data.confirmationId,
  identity: (data) => [data.experimentId, data.confirmationId],
  data: z.strictObject({
    experimentId: Id,
    confirmationId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    iteration: z.int().positive(),
    weightsVersion: z.string(),
    rolloutsPerTask: z.int().positive(),
    challenger: Side,
    incumbent: Side,
    /** Fresh score of the challenger minus that of the incumbent, task by task. */
    paired: z.strictObject({
      /** Tasks with a measured fresh rollout of both; the numbers below are null when there are none. */
      tasks: count,
      better: count,
      worse: count,
      equal: count,
      mean: difference,
      /** 95% interval of the mean (Bonett and Price 2012). */
      low: difference,
      high: difference,
      /** One-sided, exact: sign-flip permutation test. */
      p: z.number().min(0).max(1).nullable(),
    }),
    /** What p was allowed to be; 0.5: any mean above 0 is enough. */
    level: z.number(),
    accepted: z.boolean(),
    reason: z.enum(['better', 'not-better', 'not-significant', 'unmeasured']),
  }),
});
export type AcceptanceDecided = EventOf<typeof AcceptanceDecided>;
