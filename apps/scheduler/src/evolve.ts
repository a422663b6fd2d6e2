import type { CandidatesRequested, EvaluationOpened, WeightStepOpened } from '@whale/contracts';
import type { SchedulerInput, SchedulerOutput } from './events.ts';
import { rememberFact } from './facts.ts';
import { groupResult } from './group-result.ts';
import { closeGroup, evaluationGroup, stepGroup, withGroup, withPhase } from './groups.ts';
import { absorb } from './absorb.ts';
import { closeConfirmation, openConfirmation } from './confirmation.ts';
import { settleAudits } from './proposal-costs.ts';
import { evaluationKey, initialState, newPhase, type Group, type SchedulerState } from './state.ts';

/** Inputs only add facts; own events move the scheduler on; then what it waited for is absorbed. */
export function evolve(state: SchedulerState, event: SchedulerInput | SchedulerOutput): SchedulerState {
  return absorb(apply(state, event));
}

function apply(state: SchedulerState, event: SchedulerInput | SchedulerOutput): SchedulerState {
  switch (event.type) {
    case 'whale.experiment.started.v1':
      if (state.started) return state;
      return {
        ...state,
        started: event.data,
        weights: event.data.weights,
        harness: event.data.harness,
        stage: { at: 'idle' },
      };
    case 'whale.phase.started.v1': {
      const { phaseId, cycle, kind, maximum } = event.data;
      const from = kind === 'weight' ? state.position : 0;
      return {
        ...state,
        phase: newPhase({ phaseId, cycle, kind, from, to: from + maximum }),
        phasesBegun: state.phasesBegun + 1,
        weightPhases: state.weightPhases + (kind === 'weight' ? 1 : 0),
        stage: kind === 'weight' ? { at: 'weight-next' } : { at: 'harness-begin' },
      };
    }
    case 'whale.weight-step.opened.v1':
      return openStep(state, event.data);
    case 'whale.weight-update.requested.v1': {
      const { stepId, attempt, accepted } = event.data;
      if (state.stage.at === 'updating') return { ...state, stage: { ...state.stage, attempt } };
      const group = state.groups[stepId] as Group;
      const result = groupResult(state, group);
      if (!result) throw new Error(`step ${stepId} is not complete`);
      const reward = { correct: result.correct, measured: result.measured };
      const closed = closeGroup(state, group, result.tokens);
      return { ...closed, stage: { at: 'updating', stepId, attempt, accepted, reward } };
    }
    case 'whale.evaluation.opened.v1':
      return openEvaluation(state, event.data);
    case 'whale.evaluation.completed.v1': {
      const { data } = event;
      const group = state.groups[data.evaluationId] as Group;
      const result = groupResult(state, group);
      if (!result) throw new Error(`evaluation ${data.evaluationId} is not complete`);
      const closed = closeGroup(state, group, result.tokens);
      const key = evaluationKey(data.weightsVersion, data.harnessId, data.split);
      const open = state.stage.at === 'evaluating' ? state.stage.open.filter((id) => id !== data.evaluationId) : [];
      return {
        ...closed,
        evaluations: { ...closed.evaluations, [key]: data },
        stage: open.length > 0 ? { at: 'evaluating', open } : { at: 'idle' },
      };
    }
    case 'whale.harness-iteration.opened.v1':
      return withPhase(state, (phase) => ({ ...phase, count: event.data.iteration }));
    case 'whale.candidates.requested.v2':
      return requestCandidates(state, event.data);
    case 'whale.confirmation.opened.v1':
      return openConfirmation(state, event.data);
    case 'whale.acceptance.decided.v1':
      return closeConfirmation(state, event.data);
    case 'whale.rollout.requested.v1': {
      const { group: ref, rolloutId, attempt } = event.data;
      const group = state.groups[ref.id];
      if (attempt === 1 || !group) return state;
      const attempts = { ...group.attempts, [rolloutId]: attempt };
      return { ...state, groups: { ...state.groups, [ref.id]: { ...group, attempts } } };
    }
    case 'whale.phase.ended.v1':
      return {
        ...state,
        harness: event.data.harness,
        endedPhases: [...state.endedPhases, event.data],
        budgetSpent: state.budgetSpent || event.data.reason === 'rollout-budget',
        phase: null,
        stage: { at: 'idle' },
      };
    case 'whale.cycle.ended.v1':
      return { ...state, cyclesEnded: event.data.cycle };
    case 'whale.experiment.ended.v1':
      return { ...state, groups: {}, facts: initialState.facts, phase: null, stage: { at: 'ended' } };
    case 'whale.experiment.cancel-requested.v1':
      return state.stage.at === 'ended' ? state : { ...state, cancelReason: event.data.reason };
    default:
      return rememberFact(state, event);
  }
}

function requestCandidates(
  state: SchedulerState,
  { iterationId, attempt }: CandidatesRequested['data'],
): SchedulerState {
  const settled = settleAudits(state, iterationId, attempt);
  const { proposer } = settled.ledger;
  return {
    ...settled,
    ledger: { ...settled.ledger, proposer: { ...proposer, calls: proposer.calls + 1 } },
    stage: { at: 'proposing', iterationId, attempt },
  };
}

function openStep(state: SchedulerState, data: WeightStepOpened['data']): SchedulerState {
  return {
    ...withGroup(state, stepGroup(state, data)),
    position: state.position + data.taskIds.length,
    steps: data.step,
    stage: { at: 'stepping', stepId: data.stepId },
  };
}

function openEvaluation(state: SchedulerState, data: EvaluationOpened['data']): SchedulerState {
  const opened = withGroup(state, evaluationGroup(state, data));
  const { search } = data;
  if (search) {
    const earlier = opened.stage.at === 'scoring' ? opened.stage.evaluations : [];
    return withPhase(
      { ...opened, stage: { at: 'scoring', evaluations: [...earlier, data.evaluationId], of: search.of } },
      (phase) => ({ ...phase, candidates: phase.candidates + (search.iteration === 0 ? 0 : 1) }),
    );
  }
  const pair = { cycle: state.endedPhases.at(-1)?.cycle ?? 0, weights: data.weights.version, harness: data.harness.id };
  const known = state.pairs.some((other) => other.weights === pair.weights && other.harness === pair.harness);
  const open = state.stage.at === 'evaluating' ? state.stage.open : [];
  return {
    ...opened,
    pairs: known ? state.pairs : [...state.pairs, pair],
    stage: { at: 'evaluating', open: [...open, data.evaluationId] },
  };
}
