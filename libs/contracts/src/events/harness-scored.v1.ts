import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { Diagnostics, Id, Outcome } from '../primitives.ts';
import { OutcomeCounts, TokenCounts } from '../shared.ts';

export const HarnessScored = defineEvent({
  type: 'whale.harness.scored.v1',
  topic: 'whale.archive.v1',
  summary: 'A harness has its score under θ, with per-task outcomes; the archive names its incumbent.',
  key: (data) => data.experimentId,
  subject: (data) => data.evaluationId,
  identity: (data) => [data.experimentId, data.evaluationId],
  data: z.strictObject({
    experimentId: Id,
    evaluationId: Id,
    phaseId: Id,
    cycle: z.int().positive(),
    iteration: z.int().nonnegative(),
    index: z.int().nonnegative(),
    harnessId: z.string(),
    weightsVersion: z.string(),
    /** correct / measured; 0 measured gives null, never a silent 0. */
    score: z.number().nullable(),
    correct: z.int().nonnegative(),
    measured: z.int().nonnegative(),
    outcomes: OutcomeCounts,
    tokens: TokenCounts,
    tasks: z.array(z.strictObject({ taskId: Id, rolloutId: Id, outcome: Outcome, diagnostics: Diagnostics })),
    /** Arg max of the phase's archive after this entry; ties keep the incumbent. */
    incumbent: z.string(),
  }),
});
export type HarnessScored = EventOf<typeof HarnessScored>;
