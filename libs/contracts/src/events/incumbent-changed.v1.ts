import { z } from 'zod';
import { Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';

export const IncumbentChanged = defineEvent({
  type: 'whale.incumbent.changed.v1',
  topic: 'whale.archive.v1',
  summary: 'Another harness is accepted.',
  key: (data) => data.experimentId,
  subject: (data) => data.phaseId,
  identity: (data) => [data.experimentId, data.evaluationId],
  data: z.strictObject({
    experimentId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    iteration: z.int().nonnegative(),
    evaluationId: Id,
    from: z.string(),
    to: z.string(),
    scores: z.strictObject({ from: z.number().nullable(), to: z.number() }),
  }),
});
export type IncumbentChanged = EventOf<typeof IncumbentChanged>;
