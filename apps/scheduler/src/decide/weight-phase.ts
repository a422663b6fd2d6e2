import type { WeightStepOpened, WeightUpdateRequested } from '@whale/contracts';
import { deterministicId } from '@whale/kernel';
import { freshPatience, isExhausted, observe, promptsAt, weightBounds, windowReward } from '@whale/schedules';
import { mustRetry } from '../absorb.ts';
import type { SchedulerOutput } from '../events.ts';
import { groupResult } from '../group-result.ts';
import { stepGroup } from '../groups.ts';
import { groupRequests } from '../rollouts.ts';
import {
  remainingRollouts,
  running,
  type Group,
  type PhaseProgress,
  type SchedulerState,
  type Stage,
} from '../state.ts';
import { experimentEnded, phaseEnded } from './result.ts';

export function decideWeightNext(state: SchedulerState): SchedulerOutput[] {
  const { started, weights, harness } = running(state);
  const { spec, splits, experimentId } = started;
  const phase = state.phase as PhaseProgress;
  const bounds = weightBounds(spec, splits.weight.length);

  if (bounds.patience) {
    const signal = patienceSignal(phase, bounds.patience.window);
    if (isExhausted(signal, bounds.patience)) {
      return [phaseEnded(state, 'patience', { bestWindowReward: signal.best ?? 0, waitedSteps: signal.waited })];
    }
  }
  const left = phase.to - state.position;
  if (left <= 0) {
    return [phaseEnded(state, bounds.patience ? 'maximum' : 'fixed', { prompts: state.position - phase.from })];
  }
  const { promptsPerStep, rolloutsPerPrompt } = spec.weight;
  const affordable = Math.floor(remainingRollouts(state) / rolloutsPerPrompt);
  const prompts = Math.min(promptsPerStep, left, affordable);
  if (prompts === 0) return [phaseEnded(state, 'rollout-budget', { remaining: remainingRollouts(state) })];

  const step = state.steps + 1;
  const opened: WeightStepOpened = {
    type: 'whale.weight-step.opened.v1',
    data: {
      experimentId,
      stepId: deterministicId('step', experimentId, step),
      phaseId: phase.phaseId,
      cycle: phase.cycle,
      step,
      weights,
      harness,
      position: state.position,
      taskIds: promptsAt(splits.weight, spec.seed, state.position, prompts),
      rolloutsPerPrompt,
    },
  };
  return [opened, ...groupRequests(state, stepGroup(state, opened.data))];
}

/** The adaptive signal so far: rolling mean reward of the last W steps, one observation a step. */
export function patienceSignal(phase: Pick<PhaseProgress, 'rewards'>, window: number) {
  return phase.rewards.reduce(
    (signal, _, i) => observe(signal, windowReward(phase.rewards.slice(0, i + 1), window)),
    freshPatience,
  );
}

export function decideStep(state: SchedulerState, stepId: string): SchedulerOutput[] {
  const group = state.groups[stepId] as Group;
  const result = groupResult(state, group);
  if (!result) return [];
  if (result.measured === 0) {
    return [
      phaseEnded(state, 'failed', {}),
      experimentEnded(state, 'failed', `no rollout of weight step ${state.steps} could be measured`),
    ];
  }
  return [updateRequest(state, stepId, 1, result.accepted, result)];
}

export function decideUpdate(state: SchedulerState, stage: Extract<Stage, { at: 'updating' }>): SchedulerOutput[] {
  if (!mustRetry(state.facts.updateFailures[stage.stepId], stage)) return [];
  return [updateRequest(state, stage.stepId, stage.attempt + 1, stage.accepted, stage.reward)];
}

function updateRequest(
  state: SchedulerState,
  stepId: string,
  attempt: number,
  accepted: readonly string[],
  reward: { correct: number; measured: number },
): WeightUpdateRequested {
  const { started, weights } = running(state);
  const { spec, experimentId } = started;
  return {
    type: 'whale.weight-update.requested.v1',
    data: {
      experimentId,
      stepId,
      attempt,
      step: state.steps,
      weights,
      optimizer: state.optimizer,
      produces: `w${state.versions + 1}`,
      accepted: [...accepted],
      rollouts: reward.measured,
      reward: reward.correct / reward.measured,
      learningRate: spec.trainer.learningRate,
      batchTokens: spec.trainer.batchTokens,
      seed: `${spec.seed}/update/${state.steps}`,
      final: attempt >= spec.retries.attempts,
    },
  };
}
