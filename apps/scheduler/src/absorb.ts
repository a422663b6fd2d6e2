import { confirmRule, freshPatience, observe } from '@whale/schedules';
import { apparentWinner, contestAfter } from './confirmation.ts';
import { groupResult } from './group-result.ts';
import { closeGroup, without, withPhase } from './groups.ts';
import { settleAudits } from './proposal-costs.ts';
import {
  running,
  type Contest,
  type FailureFact,
  type Group,
  type SchedulerState,
  type ScoreFact,
  type Stage,
} from './state.ts';

type At<Name extends Stage['at']> = Extract<Stage, { at: Name }>;

/** Uses the facts that the present stage waits for, if they are all there. */
export function absorb(state: SchedulerState): SchedulerState {
  switch (state.stage.at) {
    case 'updating':
      return absorbUpdate(state, state.stage);
    case 'proposing':
      return absorbProposals(state, state.stage);
    case 'scoring':
      return absorbScores(state, state.stage);
    default:
      return state;
  }
}

function absorbUpdate(state: SchedulerState, stage: At<'updating'>): SchedulerState {
  const { stepId } = stage;
  const failure = state.facts.updateFailures[stepId];
  if (failure && isUsedUp(failure, stage)) {
    return { ...state, stage: { at: 'failing', reason: `the weight update failed: ${failure.message}` } };
  }
  const update = state.facts.updates[stepId];
  if (!update || mustRetry(failure, stage)) return state;
  const { weights, changed, optimizer, tokens } = update;
  const before = state.ledger.tokens;
  const moved: SchedulerState = {
    ...state,
    weights,
    optimizer: changed ? optimizer : state.optimizer,
    versions: state.versions + (changed ? 1 : 0),
    closedGroups: [...state.closedGroups, `updated/${stepId}`],
    facts: {
      ...state.facts,
      updates: without(state.facts.updates, stepId),
      updateFailures: without(state.facts.updateFailures, stepId),
    },
    ledger: {
      ...state.ledger,
      tokens: {
        ...before,
        trained: before.trained + tokens.trained,
        processed: before.processed + tokens.processed,
      },
    },
    stage: { at: 'weight-next' },
  };
  return withPhase(moved, (phase) => ({
    ...phase,
    count: phase.count + 1,
    rewards: [...phase.rewards, stage.reward],
  }));
}

function absorbProposals(state: SchedulerState, stage: At<'proposing'>): SchedulerState {
  const { iterationId } = stage;
  const proposals = state.facts.proposals[iterationId] ?? [];
  const failure = state.facts.proposalFailures[iterationId];
  const complete = proposals.length > 0 && proposals.length === proposals[0]?.of && !mustRetry(failure, stage);
  if (!complete && !(failure && isUsedUp(failure, stage))) return state;
  const settled = settleAudits(state, iterationId);
  const used: SchedulerState = {
    ...settled,
    closedGroups: [...state.closedGroups, iterationId],
    facts: {
      ...settled.facts,
      proposals: without(state.facts.proposals, iterationId),
      proposalFailures: without(state.facts.proposalFailures, iterationId),
    },
  };
  if (complete) return { ...used, stage: { at: 'candidates', harnesses: proposals.map((p) => p.harness) } };
  if (failure?.broken) return { ...used, stage: { at: 'failing', reason: `the proposer failed: ${failure.message}` } };
  if (used.phase?.contest) return withContest(used, used.phase.contest);
  return withPhase({ ...used, stage: { at: 'harness-next' } }, (phase) => ({
    ...phase,
    patience: observe(phase.patience, phase.incumbentScore),
  }));
}

/** The attempt asked for has failed, or an even later one is known to have: it is to be asked for again. */
export function mustRetry(failure: FailureFact | undefined, asked: { attempt: number }): boolean {
  return failure !== undefined && failure.attempt >= asked.attempt && !isUsedUp(failure, asked);
}

function isUsedUp(failure: FailureFact, asked: { attempt: number }): boolean {
  return failure.final && failure.attempt <= asked.attempt;
}

function absorbScores(state: SchedulerState, stage: At<'scoring'>): SchedulerState {
  // Candidates open one by one, and their rollouts may have to be made again, even where the scores are known already.
  if (stage.evaluations.length < stage.of) return state;
  const groups = complete(stage.evaluations.map((id) => state.groups[id]));
  const scores = complete(stage.evaluations.map((id) => state.facts.scores[id]));
  if (!scores || !groups?.every((group) => groupResult(state, group))) return state;

  let next: SchedulerState = state;
  const rest = { ...state.facts.scores };
  for (const score of scores) {
    const group = groups.find((open) => open.id === score.evaluationId) as Group;
    next = closeGroup(next, group, score.tokens);
    delete rest[score.evaluationId];
    next = {
      ...next,
      archive: [
        ...next.archive,
        { evaluationId: score.evaluationId, harness: group.harness, weightsVersion: group.weights.version },
      ],
    };
  }
  next = { ...next, facts: { ...next.facts, scores: rest } };

  const unmeasured = scores.find((score) => score.measured === 0);
  if (unmeasured) {
    return {
      ...next,
      stage: { at: 'failing', reason: `no rollout of harness ${unmeasured.harnessId} could be measured` },
    };
  }
  if (confirmRule(running(state).started.spec)) return withContest(next, contestAfter(next.phase?.contest, scores));
  // The archive names its arg max with each score, in the order of candidates: the last one stands.
  const incumbentId = (scores[scores.length - 1] as ScoreFact).incumbent;
  const harness = next.archive.find((entry) => entry.harness.id === incumbentId)?.harness ?? next.harness;
  const best = Math.max(next.phase?.incumbentScore ?? -Infinity, ...scores.map((score) => score.score ?? -Infinity));
  const first = next.phase?.incumbentScore === null;
  return withPhase({ ...next, harness, stage: { at: 'harness-next' } }, (phase) => ({
    ...phase,
    incumbentScore: best,
    patience: first ? { ...freshPatience, best } : observe(phase.patience, best),
  }));
}

/** The incumbent stays for now; whoever stands above it is to be confirmed before patience hears of the iteration. */
function withContest(state: SchedulerState, contest: Contest): SchedulerState {
  const { score } = contest.incumbent;
  const begins = state.phase?.contest === undefined;
  if (!begins && apparentWinner(contest)) {
    return withPhase({ ...state, stage: { at: 'challenged' } }, (phase) => ({ ...phase, contest }));
  }
  return withPhase({ ...state, stage: { at: 'harness-next' } }, (phase) => ({
    ...phase,
    contest,
    incumbentScore: score,
    patience: begins ? { ...freshPatience, best: score } : observe(phase.patience, score),
  }));
}

/** The list when none of it is missing. */
function complete<T>(items: readonly (T | undefined)[]): T[] | null {
  const present = items.filter((item) => item !== undefined);
  return present.length === items.length && present.length > 0 ? present : null;
}
