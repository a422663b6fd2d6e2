import type { EvaluationOpened, HarnessRef } from '@whale/contracts';
import { deterministicId } from '@whale/kernel';
import { harnessBounds, isExhausted, iterationRollouts } from '@whale/schedules';
import { mustRetry } from '../absorb.ts';
import type { SchedulerOutput } from '../events.ts';
import { remainingRollouts, running, type PhaseProgress, type SchedulerState, type Stage } from '../state.ts';
import { requestsOf } from './between-phases.ts';
import { phaseEnded } from './result.ts';

/** The archive of the phase starts with h_k scored under θ_{k+1}. */
export function decideHarnessBegin(state: SchedulerState): SchedulerOutput[] {
  const { harness } = running(state);
  return score(state, [harness], 0);
}

export function decideCandidates(state: SchedulerState, harnesses: readonly HarnessRef[]): SchedulerOutput[] {
  return score(state, harnesses, (state.phase as PhaseProgress).count);
}

function score(state: SchedulerState, harnesses: readonly HarnessRef[], iteration: number): SchedulerOutput[] {
  const { started, weights } = running(state);
  const { experimentId, splits } = started;
  const { phaseId, cycle } = state.phase as PhaseProgress;
  return harnesses.flatMap((harness, index) => {
    const opened: EvaluationOpened = {
      type: 'whale.evaluation.opened.v1',
      data: {
        experimentId,
        evaluationId: deterministicId('evaluation', experimentId, phaseId, iteration, index),
        split: 'harness',
        weights,
        harness,
        taskIds: splits.harness,
        rolloutsPerTask: 1,
        search: { phaseId, cycle, iteration, index, of: harnesses.length },
      },
    };
    return [opened, ...requestsOf(state, opened)];
  });
}

export function decideHarnessNext(state: SchedulerState): SchedulerOutput[] {
  const { started, weights, harness } = running(state);
  const { spec, splits, experimentId } = started;
  const phase = state.phase as PhaseProgress;
  const bounds = harnessBounds(spec);
  const signal = { bestScore: phase.incumbentScore ?? 0, waitedIterations: phase.patience.waited };

  if (bounds.patience && isExhausted(phase.patience, bounds.patience)) return [phaseEnded(state, 'patience', signal)];
  if (phase.count >= phase.to) return [phaseEnded(state, bounds.patience ? 'maximum' : 'fixed', signal)];
  // With its confirmation: a winner that nobody can afford to confirm would have been searched for in vain.
  if (remainingRollouts(state) < iterationRollouts(spec, splits.harness.length)) {
    return [phaseEnded(state, 'rollout-budget', { ...signal, remaining: remainingRollouts(state) })];
  }
  const iteration = phase.count + 1;
  const iterationId = deterministicId('iteration', experimentId, phase.phaseId, iteration);
  const { phaseId, cycle } = phase;
  return [
    {
      type: 'whale.harness-iteration.opened.v1',
      data: { experimentId, iterationId, phaseId, cycle, iteration, weights, incumbent: harness },
    },
    candidatesRequest(state, iterationId, iteration, 1),
  ];
}

export function decideProposing(state: SchedulerState, stage: Extract<Stage, { at: 'proposing' }>): SchedulerOutput[] {
  if (!mustRetry(state.facts.proposalFailures[stage.iterationId], stage)) return [];
  const { count } = state.phase as PhaseProgress;
  return [candidatesRequest(state, stage.iterationId, count, stage.attempt + 1)];
}

function candidatesRequest(
  state: SchedulerState,
  iterationId: string,
  iteration: number,
  attempt: number,
): SchedulerOutput {
  const { started, weights, harness } = running(state);
  const { spec, experimentId } = started;
  return {
    type: 'whale.candidates.requested.v2',
    data: {
      experimentId,
      iterationId,
      attempt,
      cycle: (state.phase as PhaseProgress).cycle,
      iteration,
      weights,
      incumbent: harness,
      domain: spec.domain,
      proposer: spec.proposer,
      count: spec.harness.candidates,
      promptsOnly: spec.strategy.kind === 'prompt-only',
      archive: state.archive.map((entry) => ({
        evaluationId: entry.evaluationId,
        harnessId: entry.harness.id,
        weightsVersion: entry.weightsVersion,
      })),
      seed: `${spec.seed}/proposal/${iterationId}`,
      final: attempt >= spec.retries.attempts,
    },
  };
}
