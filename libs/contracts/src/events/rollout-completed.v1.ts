import { z } from 'zod';
import { Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { RolloutGroup, TokenCounts } from '../shared.ts';
import { Spec } from '../spec.ts';
import { EffectRecord, RolloutEnd, Segment, TokenSample } from '../trajectory.ts';

export const RolloutCompleted = defineEvent({
  type: 'whale.rollout.completed.v1',
  topic: 'whale.rollouts.v1',
  summary: 'A harness ran to its end under θ: here is the trajectory.',
  key: (data) => data.rolloutId,
  subject: (data) => data.rolloutId,
  identity: (data) => [data.rolloutId],
  data: z.strictObject({
    experimentId: Id,
    rolloutId: Id,
    /** The attempt that came to an end; those before it failed. */
    attempt: z.int().positive(),
    group: RolloutGroup,
    weightsVersion: z.string(),
    harnessId: z.string(),
    domain: Spec.shape.domain,
    taskId: Id,
    sampleIndex: z.int().nonnegative(),
    end: RolloutEnd,
    trajectory: z.array(Segment),
    samples: z.array(TokenSample),
    effects: z.array(EffectRecord),
    tokens: TokenCounts,
  }),
});
export type RolloutCompleted = EventOf<typeof RolloutCompleted>;
