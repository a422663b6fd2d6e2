import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { BlobRef, Id, WeightsRef } from '../primitives.ts';

export const WeightUpdateRequested = defineEvent({
  type: 'whale.weight-update.requested.v1',
  topic: 'whale.schedule.v1',
  summary: 'The accepted rollouts S⁺ of a step are to be trained on; S⁺ may be empty.',
  key: (data) => data.experimentId,
  subject: (data) => data.stepId,
  identity: (data) => [data.experimentId, data.stepId, data.attempt],
  data: z.strictObject({
    experimentId: Id,
    stepId: Id,
    attempt: z.int().positive(),
    step: z.int().positive(),
    weights: WeightsRef,
    optimizer: BlobRef.nullable(),
    /** Version that the update produces when it changes the weights. */
    produces: z.string(),
    /** Rollout ids of S⁺, sorted. */
    accepted: z.array(z.string()),
    rollouts: z.int().nonnegative(),
    reward: z.number(),
    learningRate: z.number(),
    batchTokens: z.int().positive(),
    seed: z.string(),
    final: z.boolean(),
  }),
});
export type WeightUpdateRequested = EventOf<typeof WeightUpdateRequested>;
