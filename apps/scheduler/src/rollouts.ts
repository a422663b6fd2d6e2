import type { RolloutRequested } from '@whale/contracts';
import { deterministicId } from '@whale/kernel';
import { running, type Group, type SchedulerState } from './state.ts';

export interface PlannedRollout {
  rolloutId: string;
  taskId: string;
  sampleIndex: number;
  seed: string;
}

/** The rollouts of a group in a fixed order: task by task, sample by sample. */
export function plannedRollouts(experimentId: string, group: Group): PlannedRollout[] {
  return group.taskIds.flatMap((taskId, place) =>
    Array.from({ length: group.rolloutsPerTask }, (_, sampleIndex) => ({
      rolloutId: deterministicId('rollout', experimentId, group.id, place, taskId, sampleIndex),
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

/** Rollouts that failed with attempts left and have not been asked for again. */
export function retryRequests(state: SchedulerState, group: Group): RolloutRequested[] {
  const failures = Object.entries(state.facts.failures[group.id] ?? {}).filter(
    ([rolloutId, failure]) => !failure.final && failure.attempt >= (group.attempts[rolloutId] ?? 1),
  );
  if (failures.length === 0) return [];
  const { started } = running(state);
  const planned = new Map(plannedRollouts(started.experimentId, group).map((plan) => [plan.rolloutId, plan]));
  return failures
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([rolloutId, failure]) => {
      const plan = planned.get(rolloutId);
      return plan ? [rolloutRequest(state, group, plan, failure.attempt + 1)] : [];
    });
}
