import { z } from 'zod';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { HarnessRef, Id, WeightsRef } from '../primitives.ts';
import { Spec } from '../spec.ts';
import { defineUpcaster } from '../upcaster.ts';
import { CandidatesRequestedV1 } from './candidates-requested.v1.ts';

export const CandidatesRequested = defineEvent({
  type: 'whale.candidates.requested.v2',
  topic: 'whale.schedule.v1',
  summary: 'The proposer is to write M candidates from exactly these archive entries.',
  key: (data) => data.experimentId,
  subject: (data) => data.iterationId,
  identity: (data) => [data.experimentId, data.iterationId, data.attempt],
  data: z.strictObject({
    experimentId: Id,
    iterationId: Id,
    attempt: z.int().positive(),
    cycle: z.int().positive(),
    iteration: z.int().positive(),
    weights: WeightsRef,
    incumbent: HarnessRef,
    domain: Spec.shape.domain,
    proposer: Spec.shape.proposer,
    /** M */
    count: z.int().positive(),
    /** A candidate may differ from its parent only inside `PROMPTS` (the strategy `prompt-only`). */
    promptsOnly: z.boolean(),
    /** Evaluations whose HarnessScored the proposer must have seen, so that its view is the same on every machine. */
    archive: z.array(z.strictObject({ evaluationId: Id, harnessId: z.string(), weightsVersion: z.string() })),
    seed: z.string(),
    final: z.boolean(),
  }),
});
export type CandidatesRequested = EventOf<typeof CandidatesRequested>;

/** No strategy restricted candidates when v1 was written. */
export const candidatesRequestedFromV1 = defineUpcaster(CandidatesRequestedV1, CandidatesRequested, (old) => ({
  ...old,
  promptsOnly: false,
}));
