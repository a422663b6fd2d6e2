import { argmax } from '@whale/schedules';
import type { HarnessScored } from '@whale/contracts';
import type { ArchiveInput, ArchiveOutput } from './events.ts';
import type { ArchiveState, TaskFact } from './state.ts';

/** Inputs add facts in any order; HarnessScored closes an entry and moves the phase's incumbent on. */
export function evolve(state: ArchiveState, event: ArchiveInput | ArchiveOutput): ArchiveState {
  switch (event.type) {
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
      return state;
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
  return { ...state, facts: { ...state.facts, [group.id]: { ...state.facts[group.id], [rolloutId]: fact } } };
}

function close(state: ArchiveState, scored: HarnessScored['data']): ArchiveState {
  const { [scored.evaluationId]: _evaluation, ...open } = state.open;
  const { [scored.evaluationId]: _used, ...facts } = state.facts;
  const before = state.incumbents[scored.phaseId];
  const entry = { harnessId: scored.harnessId, score: scored.score };
  return {
    open,
    facts,
    incumbents: { ...state.incumbents, [scored.phaseId]: before ? argmax(before, entry) : entry },
    entries: [...state.entries, scored],
    scored: [...state.scored, scored.evaluationId],
  };
}
