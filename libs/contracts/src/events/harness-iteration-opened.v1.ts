import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';

export const HarnessIterationOpened = defineEvent({
  type: 'whale.harness-iteration.opened.v1',
  topic: 'whale.schedule.v1',
  summary: 'An iteration of the harness search begins.',
  key: (data) => data.experimentId,
  subject: (data) => data.iterationId,
  identity: (data) => [data.experimentId, data.iterationId],
  data: z.strictObject({
    experimentId: Id,
    iterationId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    /** Counts within the phase, from 1. */
    iteration: z.int().positive(),
    weights: WeightsRef,
    incumbent: HarnessRef,
  }),
});
export type HarnessIterationOpened = EventOf<typeof HarnessIterationOpened>;
