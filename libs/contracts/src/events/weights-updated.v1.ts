import { z } from 'zod';
import { defineEvent } from '../event-definition.ts';
import { BlobRef, Id, WeightsRef } from '../primitives.ts';

export const WeightsUpdatedV1 = defineEvent({
  type: 'whale.weights.updated.v1',
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
    /** Null when nothing was trained. */
    loss: z.number().nullable(),
    tokens: z.strictObject({ trained: z.int().nonnegative(), processed: z.int().nonnegative() }),
  }),
});
