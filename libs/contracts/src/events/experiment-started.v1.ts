import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';
import { Spec } from '../spec.ts';

export const ExperimentStarted = defineEvent({
  type: 'whale.experiment.started.v1',
  topic: 'whale.schedule.v1',
  summary: 'The spec is accepted: θ₀, h₀ and the task ids of each split are fixed.',
  key: (data) => data.experimentId,
  subject: (data) => data.experimentId,
  identity: (data) => [data.experimentId],
  data: z.strictObject({
    experimentId: Id,
    spec: Spec,
    weights: WeightsRef,
    harness: HarnessRef,
    splits: z.strictObject({
      weight: z.array(z.string()),
      harness: z.array(z.string()),
      validation: z.array(z.string()),
      test: z.array(z.string()),
    }),
  }),
});
export type ExperimentStarted = EventOf<typeof ExperimentStarted>;
