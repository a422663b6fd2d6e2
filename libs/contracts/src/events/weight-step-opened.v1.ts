import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';

export const WeightStepOpened = defineEvent({
  type: 'whale.weight-step.opened.v1',
  topic: 'whale.schedule.v1',
  summary: 'B prompts × G rollouts are asked for under θ_old.',
  key: (data) => data.experimentId,
  subject: (data) => data.stepId,
  identity: (data) => [data.experimentId, data.stepId],
  data: z.strictObject({
    experimentId: Id,
    stepId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    /** Counts over the whole experiment, from 1. */
    step: z.int().positive(),
    weights: WeightsRef,
    harness: HarnessRef,
    /** Position of the first prompt in the persistent sampler. */
    position: z.int().nonnegative(),
    taskIds: z.array(z.string()),
    rolloutsPerPrompt: z.int().positive(),
  }),
});
export type WeightStepOpened = EventOf<typeof WeightStepOpened>;
