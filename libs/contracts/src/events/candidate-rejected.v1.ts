import { z } from 'zod';
import { Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';

export const CandidateRejected = defineEvent({
  type: 'whale.candidate.rejected.v1',
  topic: 'whale.harnesses.v1',
  summary: 'A candidate that failed the check, and why.',
  key: (data) => data.experimentId,
  subject: (data) => data.iterationId,
  identity: (data) => [data.experimentId, data.iterationId, data.number],
  data: z.strictObject({
    experimentId: Id,
    iterationId: Id,
    /** Counts the candidates written in this iteration, from 1. */
    number: z.int().positive(),
    source: z.string(),
    parent: z.string(),
    hypothesis: z.string(),
    stage: z.string(),
    message: z.string(),
    line: z.int().positive().nullable(),
  }),
});
export type CandidateRejected = EventOf<typeof CandidateRejected>;
