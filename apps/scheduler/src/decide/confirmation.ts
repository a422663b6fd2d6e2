import type { AcceptanceDecided, ConfirmationOpened } from '@whale/contracts';
import { deterministicId } from '@whale/kernel';
import { comparePaired, confirmed, confirmRule } from '@whale/schedules';
import { apparentWinner } from '../confirmation.ts';
import type { SchedulerOutput } from '../events.ts';
import { groupResult, type GroupResult } from '../group-result.ts';
import { confirmationGroups } from '../groups.ts';
import { groupRequests } from '../rollouts.ts';
import {
  running,
  type Contest,
  type Group,
  type PhaseProgress,
  type SchedulerState,
  type SearchEntry,
  type Stage,
} from '../state.ts';
import { taskTallies } from '../task-tallies.ts';

/** Fresh rollouts of the apparent winner and of the incumbent, on all tasks of D_harness. */
export function decideChallenge(state: SchedulerState): SchedulerOutput[] {
  const { started, weights, harness } = running(state);
  const { experimentId, spec, splits } = started;
  const { phaseId, cycle, count } = state.phase as PhaseProgress;
  const { contest, challenger, rule } = standing(state);
  const ref = state.archive.find((entry) => entry.evaluationId === challenger.evaluationId)?.harness;
  if (!ref) throw new Error(`the archive does not know evaluation ${challenger.evaluationId} of ${spec.name}`);
  const id = (...parts: string[]) => deterministicId('confirmation', experimentId, phaseId, count, ...parts);
  const opened: ConfirmationOpened = {
    type: 'whale.confirmation.opened.v1',
    data: {
      experimentId,
      confirmationId: id(),
      phaseId,
      cycle,
      iteration: count,
      weights,
      challenger: { harness: ref, evaluationId: challenger.evaluationId, groupId: id('challenger') },
      incumbent: { harness, evaluationId: contest.incumbent.evaluationId, groupId: id('incumbent') },
      taskIds: splits.harness,
      rolloutsPerTask: rule.rolloutsPerTask,
    },
  };
  return [opened, ...confirmationGroups(state, opened.data).flatMap((group) => groupRequests(state, group))];
}

/** Nothing before both are measured to the end; then the paired tasks decide. */
export function decideConfirming(
  state: SchedulerState,
  stage: Extract<Stage, { at: 'confirming' }>,
): SchedulerOutput[] {
  const { started, weights } = running(state);
  const groups = {
    challenger: state.groups[stage.challenger] as Group,
    incumbent: state.groups[stage.incumbent] as Group,
  };
  const fresh = { challenger: groupResult(state, groups.challenger), incumbent: groupResult(state, groups.incumbent) };
  if (!fresh.challenger || !fresh.incumbent) return [];

  const { phaseId, cycle, count } = state.phase as PhaseProgress;
  const { contest, challenger, rule } = standing(state);
  const others = taskTallies(state, groups.incumbent);
  const paired = comparePaired(
    taskTallies(state, groups.challenger).map((tally, place) => ({
      challenger: tally,
      incumbent: others[place] ?? { correct: 0, measured: 0 },
    })),
  );
  const decided: AcceptanceDecided = {
    type: 'whale.acceptance.decided.v1',
    data: {
      experimentId: started.experimentId,
      confirmationId: stage.confirmationId,
      phaseId,
      cycle,
      iteration: count,
      weightsVersion: weights.version,
      rolloutsPerTask: rule.rolloutsPerTask,
      challenger: totals(challenger, fresh.challenger),
      incumbent: totals(contest.incumbent, fresh.incumbent),
      paired,
      level: rule.level,
      ...confirmed(paired, rule),
    },
  };
  return [decided];
}

function standing(state: SchedulerState) {
  const { started } = running(state);
  const contest = (state.phase as PhaseProgress).contest as Contest;
  const challenger = apparentWinner(contest);
  const rule = confirmRule(started.spec);
  if (!challenger || !rule) throw new Error('nobody stands above the incumbent');
  return { contest, challenger, rule };
}

function totals(entry: SearchEntry, fresh: GroupResult): AcceptanceDecided['data']['challenger'] {
  const { harnessId, evaluationId, score, correct, measured } = entry;
  return {
    harnessId,
    evaluationId,
    search: { score, correct, measured },
    fresh: {
      score: fresh.measured === 0 ? null : fresh.correct / fresh.measured,
      correct: fresh.correct,
      measured: fresh.measured,
      outcomes: fresh.outcomes,
    },
  };
}
