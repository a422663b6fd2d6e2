import type { TaskTally } from '@whale/schedules';
import type { Facts } from './facts.ts';
import type { AcceptanceView } from './view.ts';

/** Every confirmation, in the order of the schedule. */
export function acceptanceViews(facts: Facts): AcceptanceView[] {
  return facts.confirmations.map((opened) => {
    const { confirmationId, phaseId, cycle, iteration, weights, challenger, incumbent } = opened;
    const done = (groupId: string) => facts.groups.get(groupId)?.sums.done ?? 0;
    return {
      confirmationId,
      phaseId,
      cycle,
      iteration,
      weights: weights.version,
      challenger: challenger.harness.id,
      incumbent: incumbent.harness.id,
      asked: 2 * opened.taskIds.length * opened.rolloutsPerTask,
      done: done(challenger.groupId) + done(incumbent.groupId),
      decision: facts.acceptances.get(confirmationId) ?? null,
    };
  });
}

/** By phase, how the harness with which it began did on each task of D_harness, by all its rollouts in that phase. */
export function firstHarnesses(facts: Facts): Map<string, TaskTally[]> {
  const tallies = new Map<string, TaskTally[]>();
  for (const { data } of facts.evaluations) {
    if (data.search?.iteration !== 0) continue;
    const { phaseId } = data.search;
    const again = facts.confirmations
      .filter((one) => one.phaseId === phaseId && one.incumbent.harness.id === data.harness.id)
      .map((one) => one.incumbent.groupId);
    const groups = [data.evaluationId, ...again].map((id) => facts.groups.get(id)?.byTask);
    const tally = (taskId: string): TaskTally => {
      const found = groups.flatMap((byTask) => byTask?.get(taskId) ?? []);
      return {
        correct: found.reduce((sum, { correct }) => sum + correct, 0),
        measured: found.reduce((sum, { measured }) => sum + measured, 0),
      };
    };
    tallies.set(phaseId, data.taskIds.map(tally));
  }
  return tallies;
}
