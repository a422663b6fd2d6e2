import type { EvaluationCompleted, EvaluationOpened, Split } from '@whale/contracts';
import { deterministicId } from '@whale/kernel';
import {
  estimate,
  fixedWeightRange,
  harnessBounds,
  iterationRollouts,
  phaseAt,
  weightBounds,
  type PhaseIdentity,
} from '@whale/schedules';
import type { SchedulerOutput } from '../events.ts';
import { groupResult } from '../group-result.ts';
import { groupRequests } from '../rollouts.ts';
import { evaluationGroup } from '../groups.ts';
import { evaluationKey, remainingRollouts, running, type Group, type SchedulerState } from '../state.ts';
import { experimentEnded } from './result.ts';

/** Between phases: measure the pair if it is due, close the cycle, begin the next phase, or end. */
export function decideIdle(state: SchedulerState): SchedulerOutput[] {
  const { started, weights, harness } = running(state);
  const last = state.endedPhases.at(-1);
  const planned = phaseAt(started.spec, state.phasesBegun);
  const next = planned && !state.budgetSpent && canAfford(state, planned) ? planned : undefined;
  const cycleOver = last !== undefined && (next === undefined || next.cycle > last.cycle);

  if (last === undefined || cycleOver || started.spec.evaluation.after === 'phase') {
    const due = (['test', 'validation'] as const).filter(
      (split) =>
        started.splits[split].length > 0 && !state.evaluations[evaluationKey(weights.version, harness.id, split)],
    );
    if (due.length > 0) return due.flatMap((split) => openEvaluation(state, split));
  }
  if (cycleOver && state.cyclesEnded < last.cycle) {
    const { experimentId } = started;
    return [{ type: 'whale.cycle.ended.v1', data: { experimentId, cycle: last.cycle, weights, harness } }];
  }
  if (next) return [startPhase(state, next)];
  const spent = planned !== undefined || state.budgetSpent;
  return [experimentEnded(state, 'completed', spent ? 'rollout budget spent' : 'all phases done')];
}

/** A phase that cannot make even its first step or iteration is not begun. */
function canAfford(state: SchedulerState, next: PhaseIdentity): boolean {
  const { started } = running(state);
  const { spec, splits } = started;
  const least =
    next.kind === 'weight'
      ? spec.weight.rolloutsPerPrompt
      : splits.harness.length + iterationRollouts(spec, splits.harness.length);
  return remainingRollouts(state) >= least;
}

function startPhase(state: SchedulerState, next: PhaseIdentity): SchedulerOutput {
  const { started, weights, harness } = running(state);
  const { experimentId, spec, splits } = started;
  let maximum: number;
  if (next.kind === 'weight') {
    const range = fixedWeightRange(spec, state.weightPhases, splits.weight.length);
    maximum = range ? Math.max(1, range.to - state.position) : weightBounds(spec, splits.weight.length).maximum;
  } else {
    maximum = harnessBounds(spec).maximum;
  }
  const phaseId = deterministicId('phase', experimentId, state.phasesBegun);
  return {
    type: 'whale.phase.started.v1',
    data: { experimentId, phaseId, cycle: next.cycle, kind: next.kind, weights, harness, maximum },
  };
}

function openEvaluation(state: SchedulerState, split: Extract<Split, 'validation' | 'test'>): SchedulerOutput[] {
  const { started, weights, harness } = running(state);
  const { experimentId, spec, splits } = started;
  const { rolloutsPerTask, validationRolloutsPerTask } = spec.evaluation;
  const opened: EvaluationOpened = {
    type: 'whale.evaluation.opened.v1',
    data: {
      experimentId,
      evaluationId: deterministicId('evaluation', experimentId, split, weights.version, harness.id),
      split,
      weights,
      harness,
      taskIds: splits[split],
      rolloutsPerTask: split === 'test' ? rolloutsPerTask : validationRolloutsPerTask,
      search: null,
    },
  };
  return [opened, ...requestsOf(state, opened)];
}

/** The rollout requests of an evaluation that is about to open. */
export function requestsOf(state: SchedulerState, opened: EvaluationOpened): SchedulerOutput[] {
  return groupRequests(state, evaluationGroup(state, opened.data));
}

/** All open evaluations close together, in the order in which they were opened, so that the order of verdicts is moot. */
export function decideEvaluation(state: SchedulerState, open: readonly string[]): SchedulerOutput[] {
  const { started } = running(state);
  const completed: EvaluationCompleted[] = [];
  for (const evaluationId of open) {
    const group = state.groups[evaluationId] as Group;
    const result = groupResult(state, group);
    if (!result) return [];
    completed.push({
      type: 'whale.evaluation.completed.v1',
      data: {
        experimentId: started.experimentId,
        evaluationId,
        split: group.split,
        weightsVersion: group.weights.version,
        harnessId: group.harness.id,
        estimate: estimate(result.correct, result.measured),
        outcomes: result.outcomes,
      },
    });
  }
  const unmeasured = completed.find(({ data }) => data.estimate.n === 0);
  if (!unmeasured) return completed;
  return [experimentEnded(state, 'failed', `no rollout on ${unmeasured.data.split} could be measured`)];
}
