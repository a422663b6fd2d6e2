import {
  noOutcomes,
  parseSpec,
  type AcceptanceDecided,
  type ConfirmationOpened,
  type ExperimentStarted,
  type RolloutVerified,
} from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import { evaluationOf, harnessIdOf, opened, verdicts, type Candidate } from './search.ts';

/** The experiment of `search.ts`, whose winners are confirmed. */
export function startedWithConfirmation(): ExperimentStarted {
  const { weights, harness } = opened({ iteration: 0, index: 0, of: 1, outcomes: [] }).data;
  const spec = parseSpec(
    {
      name: 'x',
      domain: { name: 'd', dataset: 's' },
      strategy: { kind: 'harness-only', harness: { iterations: 9 } },
      harness: { acceptance: 'confirm' },
    },
    'x.yaml',
  );
  const splits = { weight: [], harness: ['t0', 't1', 't2', 't3'], validation: [], test: [] };
  return { type: 'whale.experiment.started.v1', data: { experimentId: 'x', spec, weights, harness, splits } };
}

/** The group of fresh rollouts of one side. */
export function freshGroup(challenger: Candidate, side: 'challenger' | 'incumbent'): string {
  return `fresh-${evaluationOf(challenger)}-${side}`;
}

/** A confirmation after the challenger's own iteration. */
export function confirmationOpened(challenger: Candidate, incumbent: Candidate): ConfirmationOpened {
  const { experimentId, weights, taskIds, search } = opened(challenger).data;
  const side = (candidate: Candidate, name: 'challenger' | 'incumbent') => ({
    harness: { id: harnessIdOf(candidate), uri: 'blob:h', bytes: 1 },
    evaluationId: evaluationOf(candidate),
    groupId: freshGroup(challenger, name),
  });
  return {
    type: 'whale.confirmation.opened.v1',
    data: {
      experimentId,
      confirmationId: `confirmation-${evaluationOf(challenger)}`,
      phaseId: search?.phaseId ?? '',
      cycle: search?.cycle ?? 1,
      iteration: challenger.iteration,
      weights,
      challenger: side(challenger, 'challenger'),
      incumbent: side(incumbent, 'incumbent'),
      taskIds,
      rolloutsPerTask: 1,
    },
  };
}

export function decided(challenger: Candidate, incumbent: Candidate, accepted: boolean): AcceptanceDecided {
  const { experimentId, confirmationId, phaseId, cycle, iteration } = confirmationOpened(challenger, incumbent).data;
  const side = (candidate: Candidate) => ({
    harnessId: harnessIdOf(candidate),
    evaluationId: evaluationOf(candidate),
    search: { score: 0.5, correct: 2, measured: 4 },
    fresh: { score: 0.5, correct: 2, measured: 4, outcomes: noOutcomes() },
  });
  return {
    type: 'whale.acceptance.decided.v1',
    data: {
      experimentId,
      confirmationId,
      phaseId,
      cycle,
      iteration,
      weightsVersion: 'w1',
      rolloutsPerTask: 1,
      challenger: side(challenger),
      incumbent: side(incumbent),
      paired: { tasks: 4, better: 1, worse: 0, equal: 3, mean: 0.25, low: 0, high: 0.5, p: 0.5 },
      level: 0.5,
      accepted,
      reason: accepted ? 'better' : 'not-better',
    },
  };
}

/** What comes of the fresh rollouts of both sides. */
export function freshVerdicts(challenger: Candidate): RolloutVerified[] {
  return (['challenger', 'incumbent'] as const).flatMap((side) =>
    verdicts(challenger).map((verdict): RolloutVerified => {
      if (verdict.type !== 'whale.rollout.verified.v1') throw new Error('a fresh rollout of these tests is measured');
      const group = { id: freshGroup(challenger, side), purpose: 'harness' as const };
      const rolloutId = sha256(`${group.id}/${verdict.data.taskId}`);
      return { ...verdict, data: { ...verdict.data, group, rolloutId } };
    }),
  );
}
