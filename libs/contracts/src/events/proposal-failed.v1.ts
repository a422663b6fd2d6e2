import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { ErrorInfo, Id } from '../primitives.ts';

export const ProposalFailed = defineEvent({
  type: 'whale.proposal.failed.v1',
  topic: 'whale.harnesses.v1',
  summary: 'No valid candidate came of a request.',
  key: (data) => data.experimentId,
  subject: (data) => data.iterationId,
  identity: (data) => [data.experimentId, data.iterationId, data.attempt],
  data: z.strictObject({
    experimentId: Id,
    iterationId: Id,
    attempt: z.int().positive(),
    final: z.boolean(),
    error: ErrorInfo,
  }),
});
export type ProposalFailed = EventOf<typeof ProposalFailed>;
