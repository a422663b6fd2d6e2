import type { ConfirmationOpened, EvaluationOpened, WeightStepOpened } from '@whale/contracts';
import { requestedRollouts } from './group-result.ts';
import { running, type Group, type SchedulerState } from './state.ts';

export function stepGroup(state: SchedulerState, data: WeightStepOpened['data']): Group {
  const { spec } = running(state).started;
  return {
    id: data.stepId,
    purpose: 'weight',
    split: 'weight',
    taskIds: data.taskIds,
    rolloutsPerTask: data.rolloutsPerPrompt,
    weights: data.weights,
    harness: data.harness,
    seedScope: `${spec.seed}/weight/${data.step}`,
    attempts: {},
  };
}

export function evaluationGroup(state: SchedulerState, data: EvaluationOpened['data']): Group {
  const { spec } = running(state).started;
  return {
    id: data.evaluationId,
    purpose: data.search ? 'harness' : 'evaluation',
    split: data.split,
    taskIds: data.taskIds,
    rolloutsPerTask: data.rolloutsPerTask,
    weights: data.weights,
    harness: data.harness,
    // Named by content, not by experiment: strategies that meet at the same pair meet at the same numbers.
    seedScope: `${spec.seed}/${data.split}/${data.weights.sha256}/${data.harness.id}`,
    attempts: {},
  };
}

/** Challenger, then incumbent. Their seeds are no others': neither the search's nor those of another confirmation. */
export function confirmationGroups(state: SchedulerState, data: ConfirmationOpened['data']): Group[] {
  const { spec } = running(state).started;
  const { weights, cycle, iteration, taskIds, rolloutsPerTask } = data;
  return [data.challenger, data.incumbent].map(({ groupId, harness }) => ({
    id: groupId,
    purpose: 'harness',
    split: 'harness',
    taskIds,
    rolloutsPerTask,
    weights,
    harness,
    seedScope: `${spec.seed}/confirmation/${weights.sha256}/${harness.id}/${cycle}/${iteration}`,
    attempts: {},
  }));
}

export function withGroup(state: SchedulerState, group: Group): SchedulerState {
  const count = requestedRollouts(group);
  const { rollouts } = state.ledger;
  const opened = {
    ...state,
    groups: { ...state.groups, [group.id]: group },
    ledger: { ...state.ledger, rollouts: { ...rollouts, [group.purpose]: rollouts[group.purpose] + count } },
  };
  return group.purpose === 'evaluation'
    ? opened
    : withPhase(opened, (phase) => ({ ...phase, rollouts: phase.rollouts + count }));
}

export function withPhase(
  state: SchedulerState,
  change: (phase: NonNullable<SchedulerState['phase']>) => NonNullable<SchedulerState['phase']>,
): SchedulerState {
  return state.phase ? { ...state, phase: change(state.phase) } : state;
}

/** Forgets the facts of a group that is done; late duplicates of it are ignored from now on. */
export function closeGroup(
  state: SchedulerState,
  group: Pick<Group, 'id'>,
  tokens: { prompt: number; sampled: number },
): SchedulerState {
  const { facts } = state;
  const before = state.ledger.tokens;
  return {
    ...state,
    groups: without(state.groups, group.id),
    closedGroups: [...state.closedGroups, group.id],
    facts: {
      ...facts,
      verdicts: without(facts.verdicts, group.id),
      lost: without(facts.lost, group.id),
      attempts: without(facts.attempts, group.id),
    },
    ledger: {
      ...state.ledger,
      tokens: { ...before, prompt: before.prompt + tokens.prompt, sampled: before.sampled + tokens.sampled },
    },
  };
}

/** The record without one key. */
export function without<Value>(record: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> {
  const { [key]: _dropped, ...rest } = record;
  return rest;
}
