import { freshPatience, observe } from '@whale/schedules';
import { closeGroup, withPhase } from './groups.ts';
import type { Group, SchedulerState, ScoreFact, Stage } from './state.ts';

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
  const update = state.facts.updates[stage.stepId];
  if (!update) return state;
  if (!update.ok) {
    // A failure with attempts left stays a fact: decide asks again.
    if (!update.final) return state;
    return { ...state, stage: { at: 'failing', reason: `the weight update failed: ${update.message}` } };
  }
  const { [stage.stepId]: _used, ...updates } = state.facts.updates;
  const { weights, changed, optimizer, tokens } = update.value;
  const before = state.ledger.tokens;
  const moved: SchedulerState = {
    ...state,
    weights,
    optimizer: changed ? optimizer : state.optimizer,
    versions: state.versions + (changed ? 1 : 0),
    closedGroups: [...state.closedGroups, `updated/${stage.stepId}`],
    facts: { ...state.facts, updates },
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
  const proposals = state.facts.proposals[stage.iterationId] ?? [];
  const complete = proposals.length > 0 && proposals.length === proposals[0]?.of;
  const failure = state.facts.proposalFailures[stage.iterationId];
  if (complete || failure?.final) {
    const { [stage.iterationId]: _used, ...rest } = state.facts.proposals;
    const { [stage.iterationId]: _failed, ...failures } = state.facts.proposalFailures;
    const used = {
      ...state,
      closedGroups: [...state.closedGroups, stage.iterationId],
      facts: { ...state.facts, proposals: rest, proposalFailures: failures },
    };
    if (complete) return { ...used, stage: { at: 'candidates', harnesses: proposals.map((p) => p.harness) } };
    return withPhase({ ...used, stage: { at: 'harness-next' } }, (phase) => ({
      ...phase,
      patience: observe(phase.patience, phase.incumbentScore),
    }));
  }
  const retry = failure !== undefined && failure.attempt >= stage.attempt;
  return retry === stage.retry ? state : { ...state, stage: { ...stage, retry } };
}

function absorbScores(state: SchedulerState, stage: At<'scoring'>): SchedulerState {
  const groups = complete(stage.evaluations.map((id) => state.groups[id]));
  const scores = complete(stage.evaluations.map((id) => state.facts.scores[id]));
  if (!scores || !groups) return state;

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

/** The list when none of it is missing. */
function complete<T>(items: readonly (T | undefined)[]): T[] | null {
  const present = items.filter((item) => item !== undefined);
  return present.length === items.length && present.length > 0 ? present : null;
}
