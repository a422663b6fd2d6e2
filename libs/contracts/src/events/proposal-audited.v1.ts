import { z } from 'zod';
import { BlobRef, HarnessRef, Id } from '../primitives.ts';
import { defineEvent, type EventOf } from '../event-definition.ts';

const count = z.int().nonnegative();
/** From 1; the call of the model that the step belongs to. */
const turn = z.int().positive();

/** Tokens as the API reports them; the four do not overlap. */
export const ProposerUsage = z.strictObject({ input: count, output: count, cacheWrite: count, cacheRead: count });
export type ProposerUsage = z.infer<typeof ProposerUsage>;

export function tokensUsed({ input, output, cacheWrite, cacheRead }: ProposerUsage): number {
  return input + output + cacheWrite + cacheRead;
}

/** Of work since the step before, ms; what a process that was killed did not record is not in it. */
const milliseconds = count.optional();

/** One step of a proposal. `content` is the step in full, as JSON, for who wants to read or repeat it. */
export const ProposalStep = z.discriminatedUnion('kind', [
  /** The model was asked and answered. */
  z.strictObject({
    kind: z.literal('call'),
    turn,
    model: z.string(),
    /** As the API says it. */
    stopReason: z.string(),
    usage: ProposerUsage,
    usd: z.number().nonnegative(),
    milliseconds,
    /** The assistant's content blocks. */
    content: BlobRef,
  }),
  /** The model was asked and its answer was lost (a kill, a cut connection): counted as the most that it can have cost. */
  z.strictObject({
    kind: z.literal('call-lost'),
    turn,
    model: z.string(),
    reason: z.string(),
    usage: ProposerUsage,
    usd: z.number().nonnegative(),
    milliseconds,
  }),
  z.strictObject({
    kind: z.literal('tool'),
    turn,
    tool: z.string(),
    /** The arguments in short, for people. */
    input: z.string(),
    /** Files of the workspace that were read, relative to it. */
    paths: z.array(z.string()),
    /** UTF-8 bytes of what the tool gave back. */
    bytes: count,
    /** Null when the tool did what it was asked. */
    error: z.string().nullable(),
    milliseconds,
    /** Input and result. */
    content: BlobRef,
  }),
  /** A candidate was written and judged. */
  z.strictObject({
    kind: z.literal('candidate'),
    /** Counts the candidates written in this attempt, from 1. */
    number: z.int().positive(),
    harness: HarnessRef,
    rejection: z
      .strictObject({ stage: z.string(), message: z.string(), line: z.int().positive().nullable() })
      .nullable(),
  }),
  /** The session is over: the last step of an attempt. */
  z.strictObject({
    kind: z.literal('ended'),
    /** `finished`, or the limit that stopped it: `turns`, `tokens`, `usd`, `seconds`; `failed` where it broke. */
    reason: z.enum(['finished', 'turns', 'tokens', 'usd', 'seconds', 'failed']),
    message: z.string().nullable(),
    /** M */
    wanted: z.int().positive(),
    written: count,
    valid: count,
  }),
]);
export type ProposalStep = z.infer<typeof ProposalStep>;

/** So far, in this attempt, this step included. */
export const ProposalTotals = z.strictObject({
  calls: count,
  /** Input, output and cache tokens. */
  tokens: count,
  usd: z.number().nonnegative(),
  bytesRead: count,
});
export type ProposalTotals = z.infer<typeof ProposalTotals>;

export const ProposalAudited = defineEvent({
  type: 'whale.proposal.audited.v1',
  topic: 'whale.harnesses.v1',
  summary: 'One step of a proposal: a call of the model, a tool, a candidate, the end; with what it has cost so far.',
  key: (data) => data.experimentId,
  subject: (data) => data.iterationId,
  identity: (data) => [data.experimentId, data.iterationId, data.attempt, data.sequence],
  data: z.strictObject({
    experimentId: Id,
    iterationId: Id,
    attempt: z.int().positive(),
    /** Counts the steps of the attempt, from 1. */
    sequence: z.int().positive(),
    proposer: z.string(),
    step: ProposalStep,
    totals: ProposalTotals,
  }),
});
export type ProposalAudited = EventOf<typeof ProposalAudited>;
