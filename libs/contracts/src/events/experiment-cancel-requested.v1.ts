import { z } from 'zod';
import { Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';

export const ExperimentCancelRequested = defineEvent({
  type: 'whale.experiment.cancel-requested.v1',
  topic: 'whale.experiments.v1',
  summary: 'Somebody asks to end an experiment early.',
  key: (data) => data.experimentId,
  subject: (data) => data.experimentId,
  identity: (data) => [data.experimentId],
  data: z.strictObject({
    experimentId: Id,
    reason: z.string(),
  }),
});
export type ExperimentCancelRequested = EventOf<typeof ExperimentCancelRequested>;
