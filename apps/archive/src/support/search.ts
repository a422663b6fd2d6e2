import type { EvaluationOpened, Outcome, RolloutFailed, RolloutVerified, VerificationFailed } from '@whale/contracts';
import { runToFixpoint } from '@whale/event-sourcing';
import { sha256 } from '@whale/kernel';
import { archiveDecider } from '../decider.ts';
import type { ArchiveInput, ArchiveOutput } from '../events.ts';
import type { ArchiveState } from '../state.ts';

const TASKS = ['t0', 't1', 't2', 't3'];

export interface Candidate {
  iteration: number;
  index: number;
  of: number;
  /** One a task. */
  outcomes: readonly Outcome[];
  phase?: string;
  name?: string;
}

export function evaluationOf({ iteration, index, phase = 'phase-1' }: Candidate): string {
  return `evaluation-${phase}-${iteration}-${index}`;
}

export function harnessIdOf({ iteration, index, name }: Candidate): string {
  return sha256(name ?? `harness ${iteration} ${index}`);
}

export function opened(candidate: Candidate): EvaluationOpened {
  const { iteration, index, of, phase = 'phase-1' } = candidate;
  return {
    type: 'whale.evaluation.opened.v1',
    data: {
      experimentId: 'x',
      evaluationId: evaluationOf(candidate),
      split: 'harness',
      weights: { version: 'w1', uri: 'blob:w1', sha256: sha256('w1'), bytes: 1 },
      harness: { id: harnessIdOf(candidate), uri: 'blob:h', bytes: 1 },
      taskIds: TASKS,
      rolloutsPerTask: 1,
      search: { phaseId: phase, cycle: 1, iteration, index, of },
    },
  };
}

/** What comes of the candidate's rollouts, in the order of tasks. */
export function verdicts(candidate: Candidate): (RolloutVerified | VerificationFailed | RolloutFailed)[] {
  return TASKS.map((taskId, i) => {
    const outcome = candidate.outcomes[i] as Outcome;
    const identity = {
      experimentId: 'x',
      rolloutId: `rollout-${evaluationOf(candidate)}-${taskId}`,
      attempt: 1,
      group: { id: evaluationOf(candidate), purpose: 'harness' as const },
      taskId,
      sampleIndex: 0,
    };
    const tokens = { prompt: 10, sampled: 3 };
    const error = { code: 'SCRIPTED', message: 'none', retryable: true };
    if (outcome === 'infrastructure_error') {
      return { type: 'whale.rollout.failed.v1', data: { ...identity, final: true, error } };
    }
    if (outcome === 'verifier_error')
      return { type: 'whale.verification.failed.v1', data: { ...identity, error, tokens } };
    return {
      type: 'whale.rollout.verified.v1',
      data: {
        ...identity,
        weightsVersion: 'w1',
        harnessId: harnessIdOf(candidate),
        reward: outcome === 'correct' ? 1 : 0,
        outcome,
        diagnostics: { format: true },
        tokens,
      },
    };
  });
}

/** Outcomes with `n` correct of the four tasks. */
export function right(n: number): Outcome[] {
  return TASKS.map((_, i) => (i < n ? 'correct' : 'incorrect'));
}

export function feed(inputs: readonly ArchiveInput[]): { state: ArchiveState; decided: ArchiveOutput[] } {
  let state = archiveDecider.initial;
  const decided: ArchiveOutput[] = [];
  for (const input of inputs) {
    const result = runToFixpoint(archiveDecider, state, input);
    state = JSON.parse(JSON.stringify(result.state)) as ArchiveState;
    decided.push(...result.events);
  }
  return { state, decided };
}
