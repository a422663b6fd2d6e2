import { measuredRollouts, noOutcomes, type OutcomeCounts, type TokenCounts } from '@whale/contracts';
import type { Group, SchedulerState } from './state.ts';

export interface GroupResult {
  correct: number;
  /** Rollouts that count as reward. */
  measured: number;
  outcomes: OutcomeCounts;
  tokens: TokenCounts;
  /** Rollout ids with R = 1, sorted. */
  accepted: string[];
}

export function requestedRollouts(group: Pick<Group, 'taskIds' | 'rolloutsPerTask'>): number {
  return group.taskIds.length * group.rolloutsPerTask;
}

/** True when a rollout of the group is to be asked for again. */
export function awaitsRetry(state: SchedulerState, group: Group): boolean {
  const due = Object.entries(state.facts.attempts[group.id] ?? {});
  return due.some(([rolloutId, attempt]) => attempt > (group.attempts[rolloutId] ?? 1));
}

/** The result of a group once each rollout has a verdict or a final failure; null while some are open. */
export function groupResult(state: SchedulerState, group: Group): GroupResult | null {
  const verdicts = state.facts.verdicts[group.id] ?? {};
  const lost = Object.keys(state.facts.lost[group.id] ?? {}).filter((id) => verdicts[id] === undefined).length;
  if (Object.keys(verdicts).length + lost < requestedRollouts(group) || awaitsRetry(state, group)) return null;

  const outcomes = { ...noOutcomes(), infrastructure_error: lost };
  const tokens = { prompt: 0, sampled: 0 };
  const accepted: string[] = [];
  for (const [rolloutId, verdict] of Object.entries(verdicts)) {
    outcomes[verdict.outcome]++;
    tokens.prompt += verdict.prompt;
    tokens.sampled += verdict.sampled;
    if (verdict.outcome === 'correct') accepted.push(rolloutId);
  }
  return {
    correct: outcomes.correct,
    measured: measuredRollouts(outcomes),
    outcomes,
    tokens,
    accepted: accepted.sort(),
  };
}
