import type { Domain } from '@whale/domain-api';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry } from '@whale/proposers';
import type { View } from '../batch.ts';
import type { ProposeParts } from '../propose-batch.ts';
import type { CandidatesRequested, HarnessRef, HarnessScored } from '@whale/contracts';

/** A log without workspaces and rollouts, for proposers that ask for none. */
export const nothingOnTheLog: ProposeParts['source'] = () => ({
  write: async () => Promise.reject(new Error('there is no workspace here')),

  async *rollouts() {
    return;
  },
});

/** What a batch is made from, with h₀ as the incumbent. */
export function viewOn(domain: Domain, archive: readonly ArchiveEntry[], extra: Partial<View> = {}): View {
  const incumbent = { id: sha256(domain.seedHarness), source: domain.seedHarness };
  const ref = { id: incumbent.id, uri: `blob:sha256/${incumbent.id}`, bytes: incumbent.source.length };
  return {
    request: candidatesRequested(ref, []).data,
    domain,
    incumbent,
    archive,
    scored: new Set(archive.map(({ harnessId }) => harnessId)),
    parents: new Map(
      [incumbent, ...archive.map((one) => ({ id: one.harnessId, source: one.source }))].map((one) => [
        one.id,
        one.source,
      ]),
    ),
    ...extra,
  };
}

/** A request for three candidates under w1, for the incumbent and the named evaluations. */
export function candidatesRequested(
  incumbent: HarnessRef,
  evaluations: readonly HarnessScored['data'][],
  extra: Partial<CandidatesRequested['data']> = {},
): CandidatesRequested {
  return {
    type: 'whale.candidates.requested.v2',
    data: {
      experimentId: 'exp-1',
      iterationId: 'iteration-1',
      attempt: 1,
      cycle: 1,
      iteration: 1,
      weights: { version: 'w1', uri: 'blob:sha256/weights', sha256: '1'.repeat(64), bytes: 1 },
      incumbent,
      domain: { name: 'search-qa', dataset: 'atlas', options: {} },
      proposer: { kind: 'recombine' },
      count: 3,
      promptsOnly: false,
      archive: evaluations.map(({ evaluationId, harnessId, weightsVersion }) => ({
        evaluationId,
        harnessId,
        weightsVersion,
      })),
      seed: '1/proposal/iteration-1',
      final: false,
      ...extra,
    },
  };
}

/** A harness scored at 10 of 40 under w1; the failures lack retrieval. */
export function harnessScored(harnessId: string, extra: Partial<HarnessScored['data']> = {}): HarnessScored {
  const tasks = Array.from({ length: 40 }, (_, i): HarnessScored['data']['tasks'][number] => ({
    taskId: `task-${i}`,
    rolloutId: `rollout-${i}`,
    outcome: i < 10 ? 'correct' : 'incorrect',
    diagnostics: { format: true, retrieval: i < 15 },
  }));
  return {
    type: 'whale.harness.scored.v1',
    data: {
      experimentId: 'exp-1',
      evaluationId: 'evaluation-0',
      phaseId: 'phase-1',
      cycle: 1,
      iteration: 0,
      index: 0,
      harnessId,
      weightsVersion: 'w1',
      score: 0.25,
      correct: 10,
      measured: 40,
      outcomes: {
        correct: 10,
        incorrect: 30,
        truncated: 0,
        harness_error: 0,
        infrastructure_error: 0,
        verifier_error: 0,
      },
      tokens: { prompt: 1, sampled: 1 },
      tasks,
      incumbent: harnessId,
      ...extra,
    },
  };
}
