import type { RolloutRequested } from '@whale/contracts';
import { deterministicId } from '@whale/kernel';
import { awaitsRetry } from './group-result.ts';
import { running, type Group, type SchedulerState } from './state.ts';

export interface PlannedRollout {
  rolloutId: string;
  /** Of the task in the group. */
  place: number;
  taskId: string;
  sampleIndex: number;
  seed: string;
}

/** The rollouts of a group in a fixed order: task by task, sample by sample. */
export function plannedRollouts(experimentId: string, group: Group): PlannedRollout[] {
  return group.taskIds.flatMap((taskId, place) =>
    Array.from({ length: group.rolloutsPerTask }, (_, sampleIndex) => ({
      rolloutId: deterministicId('rollout', experimentId, group.id, place, taskId, sampleIndex),
      place,
      taskId,
      sampleIndex,
      seed: `${group.seedScope}/${place}/${taskId}/${sampleIndex}`,
    })),
  );
}

export function rolloutRequest(
  state: SchedulerState,
  group: Group,
  rollout: PlannedRollout,
  attempt: number,
): RolloutRequested {
  const { started } = running(state);
  const { spec } = started;
  return {
    type: 'whale.rollout.requested.v1',
    data: {
      experimentId: started.experimentId,
      rolloutId: rollout.rolloutId,
      attempt,
      final: attempt >= spec.retries.attempts,
      group: { id: group.id, purpose: group.purpose },
      weights: group.weights,
      harness: group.harness,
      domain: spec.domain,
      taskId: rollout.taskId,
      sampleIndex: rollout.sampleIndex,
      seed: rollout.seed,
      temperature: spec.policy.temperature,
      maxTokens: spec.policy.maxTokens,
      limits: spec.limits,
    },
  };
}

export function groupRequests(state: SchedulerState, group: Group): RolloutRequested[] {
  const { started } = running(state);
  return plannedRollouts(started.experimentId, group).map((rollout) => rolloutRequest(state, group, rollout, 1));
}

/** The next attempt of each rollout that failed with attempts left and has not been asked for again. */
export function retryRequests(state: SchedulerState, group: Group): RolloutRequested[] {
  if (!awaitsRetry(state, group)) return [];
  const { started } = running(state);
  const due = state.facts.attempts[group.id] ?? {};
  return plannedRollouts(started.experimentId, group).flatMap((plan) => {
    const next = (group.attempts[plan.rolloutId] ?? 1) + 1;
    return (due[plan.rolloutId] ?? 1) >= next ? [rolloutRequest(state, group, plan, next)] : [];
  });
}
