import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';
import { RolloutGroup } from '../shared.ts';
import { Spec, RolloutLimits } from '../spec.ts';

export const RolloutRequested = defineEvent({
  type: 'whale.rollout.requested.v1',
  topic: 'whale.rollout-requests.v1',
  summary: 'One rollout is to be made; the request says all that is needed.',
  key: (data) => data.rolloutId,
  subject: (data) => data.rolloutId,
  identity: (data) => [data.rolloutId, data.attempt],
  data: z.strictObject({
    experimentId: Id,
    rolloutId: Id,
    attempt: z.int().positive(),
    /** No further attempt follows a failure of this one. */
    final: z.boolean(),
    group: RolloutGroup,
    weights: WeightsRef,
    harness: HarnessRef,
    domain: Spec.shape.domain,
    taskId: Id,
    sampleIndex: z.int().nonnegative(),
    seed: z.string(),
    temperature: z.number().nonnegative(),
    maxTokens: z.int().positive(),
    limits: RolloutLimits,
  }),
});
export type RolloutRequested = EventOf<typeof RolloutRequested>;
