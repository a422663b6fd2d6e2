import type { TaskTally } from '@whale/schedules';
import { plannedRollouts } from './rollouts.ts';
import { running, type Group, type SchedulerState } from './state.ts';

/** The measured rollouts of each task, in the order of the group's tasks. */
export function taskTallies(state: SchedulerState, group: Group): TaskTally[] {
  const { experimentId } = running(state).started;
  const verdicts = state.facts.verdicts[group.id] ?? {};
  const tallies = group.taskIds.map((): TaskTally => ({ correct: 0, measured: 0 }));
  for (const { rolloutId, place } of plannedRollouts(experimentId, group)) {
    const outcome = verdicts[rolloutId]?.outcome;
    const tally = tallies[place] as TaskTally;
    if (outcome === 'correct') tally.correct++;
    if (outcome !== undefined && outcome !== 'verifier_error') tally.measured++;
  }
  return tallies;
}
