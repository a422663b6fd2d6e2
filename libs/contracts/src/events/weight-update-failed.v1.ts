import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { ErrorInfo, Id } from '../primitives.ts';

export const WeightUpdateFailed = defineEvent({
  type: 'whale.weight-update.failed.v1',
  topic: 'whale.weights.v1',
  summary: 'An update could not be made.',
  key: (data) => data.experimentId,
  subject: (data) => data.stepId,
  identity: (data) => [data.experimentId, data.stepId, data.attempt],
  data: z.strictObject({
    experimentId: Id,
    stepId: Id,
    attempt: z.int().positive(),
    final: z.boolean(),
    error: ErrorInfo,
  }),
});
export type WeightUpdateFailed = EventOf<typeof WeightUpdateFailed>;
