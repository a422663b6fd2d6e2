import type { AcceptanceDecided, HarnessScored, IncumbentChanged } from '@whale/contracts';
import type { ArchiveInput, ArchiveOutput } from './events.ts';
import { incumbentAfter } from './incumbent.ts';
import type { ArchiveState, TaskFact } from './state.ts';

/** Inputs add facts in any order; HarnessScored closes an entry and moves the phase's incumbent on. */
export function evolve(state: ArchiveState, event: ArchiveInput | ArchiveOutput): ArchiveState {
  switch (event.type) {
    case 'whale.experiment.started.v1':
      if (state.confirmation || event.data.spec.harness.acceptance !== 'confirm') return state;
      return { ...state, confirmation: { accepted: [], decided: [], groups: [] } };
    case 'whale.confirmation.opened.v1':
      return ignoreGroups(state, [event.data.challenger.groupId, event.data.incumbent.groupId]);
    case 'whale.acceptance.decided.v1':
      return hearDecision(state, event.data);
    case 'whale.evaluation.opened.v1':
      if (event.data.search === null || state.scored.includes(event.data.evaluationId)) return state;
      return { ...state, open: { ...state.open, [event.data.evaluationId]: event.data } };
    case 'whale.rollout.verified.v1': {
      const { group, rolloutId, taskId, outcome, diagnostics, tokens } = event.data;
      return remember(state, group, rolloutId, { taskId, outcome, diagnostics, tokens });
    }
    case 'whale.verification.failed.v1': {
      const { group, rolloutId, taskId, tokens } = event.data;
      return remember(state, group, rolloutId, { taskId, outcome: 'verifier_error', diagnostics: {}, tokens });
    }
    case 'whale.rollout.failed.v1': {
      const { group, rolloutId, taskId, final } = event.data;
      if (!final) return state;
      const tokens = { prompt: 0, sampled: 0 };
      return remember(state, group, rolloutId, { taskId, outcome: 'infrastructure_error', diagnostics: {}, tokens });
    }
    case 'whale.harness.scored.v1':
      return close(state, event.data);
    case 'whale.incumbent.changed.v1':
      return replaceIncumbent(state, event.data);
    default:
      return event satisfies never;
  }
}

function remember(
  state: ArchiveState,
  group: { id: string; purpose: string },
  rolloutId: string,
  fact: TaskFact,
): ArchiveState {
  if (group.purpose !== 'harness' || state.scored.includes(group.id)) return state;
  if (state.confirmation?.groups.includes(group.id)) return state;
  return { ...state, facts: { ...state.facts, [group.id]: { ...state.facts[group.id], [rolloutId]: fact } } };
}

function close(state: ArchiveState, scored: HarnessScored['data']): ArchiveState {
  const { [scored.evaluationId]: _evaluation, ...open } = state.open;
  const { [scored.evaluationId]: _used, ...facts } = state.facts;
  const entry = { harnessId: scored.harnessId, score: scored.score };
  return {
    ...state,
    open,
    facts,
    incumbents: { ...state.incumbents, [scored.phaseId]: incumbentAfter(state, scored.phaseId, entry) },
    entries: [...state.entries, scored],
    scored: [...state.scored, scored.evaluationId],
  };
}

/** Fresh rollouts are the scheduler's: what was heard of them before they were known as such is forgotten. */
function ignoreGroups(state: ArchiveState, ids: readonly string[]): ArchiveState {
  const { confirmation } = state;
  const fresh = ids.filter((id) => confirmation && !confirmation.groups.includes(id));
  if (!confirmation || fresh.length === 0) return state;
  const facts = Object.fromEntries(Object.entries(state.facts).filter(([id]) => !fresh.includes(id)));
  return { ...state, facts, confirmation: { ...confirmation, groups: [...confirmation.groups, ...fresh] } };
}

function hearDecision(state: ArchiveState, data: AcceptanceDecided['data']): ArchiveState {
  const { confirmation } = state;
  if (!confirmation || confirmation.decided.includes(data.confirmationId)) return state;
  const accepted = data.accepted ? [...confirmation.accepted, data] : confirmation.accepted;
  return {
    ...state,
    confirmation: { ...confirmation, accepted, decided: [...confirmation.decided, data.confirmationId] },
  };
}

/** By arg max the score itself has moved the incumbent on; a confirmed one moves here. */
function replaceIncumbent(
  state: ArchiveState,
  { phaseId, evaluationId, to, scores }: IncumbentChanged['data'],
): ArchiveState {
  const { confirmation } = state;
  if (!confirmation) return state;
  const accepted = confirmation.accepted.filter(({ challenger }) => challenger.evaluationId !== evaluationId);
  return {
    ...state,
    incumbents: { ...state.incumbents, [phaseId]: { harnessId: to, score: scores.to } },
    confirmation: { ...confirmation, accepted },
  };
}
