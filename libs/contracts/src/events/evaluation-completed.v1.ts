import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { Estimate, Id, Split } from '../primitives.ts';
import { OutcomeCounts } from '../shared.ts';

export const EvaluationCompleted = defineEvent({
  type: 'whale.evaluation.completed.v1',
  topic: 'whale.schedule.v1',
  summary: 'A pair (θ, h) has been measured on validation or test.',
  key: (data) => data.experimentId,
  subject: (data) => data.evaluationId,
  identity: (data) => [data.experimentId, data.evaluationId],
  data: z.strictObject({
    experimentId: Id,
    evaluationId: Id,
    split: Split,
    weightsVersion: z.string(),
    harnessId: z.string(),
    estimate: Estimate,
    /** Rollouts by typed outcome; infrastructure and verifier errors are not part of n. */
    outcomes: OutcomeCounts,
  }),
});
export type EvaluationCompleted = EventOf<typeof EvaluationCompleted>;
