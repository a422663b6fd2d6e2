import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, Split, WeightsRef } from '../primitives.ts';

export const EvaluationOpened = defineEvent({
  type: 'whale.evaluation.opened.v1',
  topic: 'whale.schedule.v1',
  summary: 'A pair (θ, h) is to be measured on the tasks of a split.',
  key: (data) => data.experimentId,
  subject: (data) => data.evaluationId,
  identity: (data) => [data.experimentId, data.evaluationId],
  data: z.strictObject({
    experimentId: Id,
    evaluationId: Id,
    split: Split,
    weights: WeightsRef,
    harness: HarnessRef,
    taskIds: z.array(z.string()),
    rolloutsPerTask: z.int().positive(),
    /** Set when the evaluation scores a candidate (iteration ≥ 1) or the phase's first harness (iteration 0). */
    search: z
      .strictObject({
        phaseId: Id,
        cycle: z.int().positive(),
        iteration: z.int().nonnegative(),
        index: z.int().nonnegative(),
        of: z.int().positive(),
      })
      .nullable(),
  }),
});
export type EvaluationOpened = EventOf<typeof EvaluationOpened>;
