import { z } from 'zod';
import { Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { PairResult, Ledger } from '../shared.ts';

export const ExperimentEnded = defineEvent({
  type: 'whale.experiment.ended.v1',
  topic: 'whale.schedule.v1',
  summary: 'The experiment is over; the pair chosen on validation is its result.',
  key: (data) => data.experimentId,
  subject: (data) => data.experimentId,
  identity: (data) => [data.experimentId],
  data: z.strictObject({
    experimentId: Id,
    status: z.enum(['completed', 'failed', 'cancelled']),
    reason: z.string(),
    base: PairResult.nullable(),
    best: PairResult.nullable(),
    bestOnTest: PairResult.nullable(),
    ledger: Ledger,
  }),
});
export type ExperimentEnded = EventOf<typeof ExperimentEnded>;
