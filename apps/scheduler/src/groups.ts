import { requestedRollouts } from './group-result.ts';
import type { Group, SchedulerState } from './state.ts';

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
  const { [group.id]: _group, ...groups } = state.groups;
  const { [group.id]: _verdicts, ...verdicts } = state.facts.verdicts;
  const { [group.id]: _failures, ...failures } = state.facts.failures;
  const before = state.ledger.tokens;
  return {
    ...state,
    groups,
    closedGroups: [...state.closedGroups, group.id],
    facts: { ...state.facts, verdicts, failures },
    ledger: {
      ...state.ledger,
      tokens: { ...before, prompt: before.prompt + tokens.prompt, sampled: before.sampled + tokens.sampled },
    },
  };
}
