import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { BlobRef, Id, WeightsRef } from '../primitives.ts';
import { defineUpcaster } from '../upcaster.ts';
import { WeightsUpdatedV1 } from './weights-updated.v1.ts';

export const WeightsUpdated = defineEvent({
  type: 'whale.weights.updated.v2',
  topic: 'whale.weights.v1',
  summary: 'One SFT pass is over (or S⁺ was empty and nothing changed).',
  key: (data) => data.experimentId,
  subject: (data) => data.stepId,
  identity: (data) => [data.experimentId, data.stepId],
  data: z.strictObject({
    experimentId: Id,
    stepId: Id,
    step: z.int().positive(),
    previous: z.string(),
    weights: WeightsRef,
    changed: z.boolean(),
    optimizer: BlobRef.nullable(),
    samples: z.int().nonnegative(),
    /** Gradient batches of the pass, one optimizer step each; 0 when nothing was trained, null: not recorded (v1). */
    batches: z.int().nonnegative().nullable(),
    /** Null when nothing was trained. */
    loss: z.number().nullable(),
    tokens: z.strictObject({ trained: z.int().nonnegative(), processed: z.int().nonnegative() }),
  }),
});
export type WeightsUpdated = EventOf<typeof WeightsUpdated>;

export const weightsUpdatedFromV1 = defineUpcaster(WeightsUpdatedV1, WeightsUpdated, (old) => ({
  ...old,
  batches: old.changed ? null : 0,
}));
