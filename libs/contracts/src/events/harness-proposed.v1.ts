import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id } from '../primitives.ts';

export const HarnessProposed = defineEvent({
  type: 'whale.harness.proposed.v1',
  topic: 'whale.harnesses.v1',
  summary: 'A candidate that passed the check, with its hypothesis, parent and diff.',
  key: (data) => data.experimentId,
  subject: (data) => data.iterationId,
  identity: (data) => [data.experimentId, data.iterationId, data.index],
  data: z.strictObject({
    experimentId: Id,
    iterationId: Id,
    index: z.int().nonnegative(),
    /** Valid candidates of this iteration. */
    of: z.int().positive(),
    harness: HarnessRef,
    source: z.string(),
    parent: z.string(),
    hypothesis: z.string(),
    changes: z.array(z.string()),
    diff: z.string(),
  }),
});
export type HarnessProposed = EventOf<typeof HarnessProposed>;
