import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { ErrorInfo, Id } from '../primitives.ts';
import { RolloutGroup } from '../shared.ts';

export const RolloutFailed = defineEvent({
  type: 'whale.rollout.failed.v1',
  topic: 'whale.rollouts.v1',
  summary: 'A rollout could not be made (infrastructure); never a reward of 0.',
  key: (data) => data.rolloutId,
  subject: (data) => data.rolloutId,
  identity: (data) => [data.rolloutId, data.attempt],
  data: z.strictObject({
    experimentId: Id,
    rolloutId: Id,
    attempt: z.int().positive(),
    final: z.boolean(),
    group: RolloutGroup,
    taskId: Id,
    sampleIndex: z.int().nonnegative(),
    error: ErrorInfo,
  }),
});
export type RolloutFailed = EventOf<typeof RolloutFailed>;
