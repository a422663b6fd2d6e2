import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';
import { PhaseKind } from '../shared.ts';

export const PhaseEnded = defineEvent({
  type: 'whale.phase.ended.v1',
  topic: 'whale.schedule.v1',
  summary: 'A phase ends, with the reason and the signal that caused it.',
  key: (data) => data.experimentId,
  subject: (data) => data.phaseId,
  identity: (data) => [data.experimentId, data.phaseId],
  data: z.strictObject({
    experimentId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    kind: PhaseKind,
    reason: z.enum(['fixed', 'patience', 'maximum', 'rollout-budget', 'failed', 'cancelled']),
    /** The numbers that decided, by name. */
    signal: z.record(z.string(), z.number()),
    weights: WeightsRef,
    harness: HarnessRef,
    /** Weight phase: steps; harness phase: iterations. */
    count: z.int().nonnegative(),
    candidates: z.int().nonnegative(),
    rollouts: z.int().nonnegative(),
    epochs: z.number().nonnegative(),
  }),
});
export type PhaseEnded = EventOf<typeof PhaseEnded>;
