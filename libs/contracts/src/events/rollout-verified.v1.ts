import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { Diagnostics, Id, Outcome } from '../primitives.ts';
import { RolloutGroup, TokenCounts } from '../shared.ts';

export const RolloutVerified = defineEvent({
  type: 'whale.rollout.verified.v1',
  topic: 'whale.verdicts.v1',
  summary: 'R(x, τ) and the diagnostics of one rollout.',
  key: (data) => data.experimentId,
  subject: (data) => data.rolloutId,
  identity: (data) => [data.rolloutId],
  data: z.strictObject({
    experimentId: Id,
    rolloutId: Id,
    /** The attempt that is judged; those before it failed. */
    attempt: z.int().positive(),
    group: RolloutGroup,
    weightsVersion: z.string(),
    harnessId: z.string(),
    taskId: Id,
    sampleIndex: z.int().nonnegative(),
    reward: z.union([z.literal(0), z.literal(1)]),
    outcome: Outcome,
    diagnostics: Diagnostics,
    tokens: TokenCounts,
  }),
});
export type RolloutVerified = EventOf<typeof RolloutVerified>;
