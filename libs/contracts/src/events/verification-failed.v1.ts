import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { ErrorInfo, Id } from '../primitives.ts';
import { RolloutGroup, TokenCounts } from '../shared.ts';

export const VerificationFailed = defineEvent({
  type: 'whale.verification.failed.v1',
  topic: 'whale.verdicts.v1',
  summary: 'The verifier could not judge a rollout; never a reward of 0.',
  key: (data) => data.experimentId,
  subject: (data) => data.rolloutId,
  identity: (data) => [data.rolloutId],
  data: z.strictObject({
    experimentId: Id,
    rolloutId: Id,
    /** The attempt that could not be judged; those before it failed. */
    attempt: z.int().positive(),
    group: RolloutGroup,
    taskId: Id,
    sampleIndex: z.int().nonnegative(),
    error: ErrorInfo,
    tokens: TokenCounts,
  }),
});
export type VerificationFailed = EventOf<typeof VerificationFailed>;
