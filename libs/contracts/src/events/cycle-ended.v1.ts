import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';

export const CycleEnded = defineEvent({
  type: 'whale.cycle.ended.v1',
  topic: 'whale.schedule.v1',
  summary: 'A weight phase and a harness phase are over.',
  key: (data) => data.experimentId,
  subject: (data) => data.experimentId,
  identity: (data) => [data.experimentId, data.cycle],
  data: z.strictObject({
    experimentId: Id,
    cycle: z.int().positive(),
    weights: WeightsRef,
    harness: HarnessRef,
  }),
});
export type CycleEnded = EventOf<typeof CycleEnded>;
