import type { AcceptanceDecided, ConfirmationOpened } from '@whale/contracts';
import { observe } from '@whale/schedules';
import { groupResult } from './group-result.ts';
import { closeGroup, confirmationGroups, withGroup, withPhase } from './groups.ts';
import type { Contest, Group, PhaseProgress, ScoreFact, SchedulerState, SearchEntry, Stage } from './state.ts';

/** The contest after the scores of an iteration: who stands above the incumbent and has not been refused in this phase. */
export function contestAfter(contest: Contest | undefined, scores: readonly ScoreFact[]): Contest {
  const entries = scores.map(({ evaluationId, harnessId, score, correct, measured }): SearchEntry => ({
    evaluationId,
    harnessId,
    score,
    correct,
    measured,
  }));
  if (!contest) return { incumbent: entries[0] as SearchEntry, rivals: [], refused: [] };
  const { incumbent, refused } = contest;
  const above = entries.filter((entry) => isAbove(entry, incumbent) && !refused.includes(entry.harnessId));
  return { ...contest, rivals: [...contest.rivals, ...above] };
}

/** The best of the rivals, the first of them in a tie. */
export function apparentWinner({ rivals }: Contest): SearchEntry | undefined {
  return rivals.reduce<SearchEntry | undefined>(
    (best, rival) => (best === undefined || isAbove(rival, best) ? rival : best),
    undefined,
  );
}

function isAbove(one: SearchEntry, other: SearchEntry): boolean {
  return one.harnessId !== other.harnessId && (one.score ?? -Infinity) > (other.score ?? -Infinity);
}

export function openConfirmation(state: SchedulerState, data: ConfirmationOpened['data']): SchedulerState {
  const opened = confirmationGroups(state, data).reduce(withGroup, state);
  const { confirmationId, challenger, incumbent } = data;
  const stage: Stage = {
    at: 'confirming',
    confirmationId,
    challenger: challenger.groupId,
    incumbent: incumbent.groupId,
  };
  return { ...opened, stage };
}

/** The decision takes effect: patience sees the score of the incumbent that stands after it. */
export function closeConfirmation(state: SchedulerState, data: AcceptanceDecided['data']): SchedulerState {
  const { challenger, incumbent } = state.stage as Extract<Stage, { at: 'confirming' }>;
  let next = state;
  for (const id of [challenger, incumbent]) {
    const group = state.groups[id] as Group;
    const result = groupResult(state, group);
    if (!result) throw new Error(`confirmation ${data.confirmationId} is not complete`);
    next = closeGroup(next, group, result.tokens);
  }
  const harness = data.accepted ? (state.groups[challenger] as Group).harness : state.harness;
  return withPhase({ ...next, harness, stage: { at: 'harness-next' } }, (phase) => observed(phase, data));
}

function observed(phase: PhaseProgress, { accepted, challenger }: AcceptanceDecided['data']): PhaseProgress {
  const { incumbent, rivals, refused } = phase.contest as Contest;
  const winner = rivals.find((rival) => rival.evaluationId === challenger.evaluationId) as SearchEntry;
  // It was the best of the rivals: none of them is above it.
  const contest: Contest = accepted
    ? { incumbent: winner, rivals: [], refused }
    : {
        incumbent,
        rivals: rivals.filter((rival) => rival.harnessId !== winner.harnessId),
        refused: [...refused, winner.harnessId],
      };
  const { score } = contest.incumbent;
  return { ...phase, contest, incumbentScore: score, patience: observe(phase.patience, score) };
}
