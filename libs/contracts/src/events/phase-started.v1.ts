import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';
import { PhaseKind } from '../shared.ts';

export const PhaseStarted = defineEvent({
  type: 'whale.phase.started.v1',
  topic: 'whale.schedule.v1',
  summary: 'A weight or harness phase begins.',
  key: (data) => data.experimentId,
  subject: (data) => data.phaseId,
  identity: (data) => [data.experimentId, data.phaseId],
  data: z.strictObject({
    experimentId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    kind: PhaseKind,
    weights: WeightsRef,
    harness: HarnessRef,
    /** Steps or iterations that the phase has at the most. */
    maximum: z.int().nonnegative(),
  }),
});
export type PhaseStarted = EventOf<typeof PhaseStarted>;
