import { ConfirmRule } from '@whale/contracts';
import { argmaxAcceptsNoise, confirmAcceptsNoise, confirmRule, taskProbabilities } from '@whale/schedules';
import type { ExperimentView, PhaseView } from './view.ts';

/**
 * How often the same search would have accepted noise: as many candidates in as many iterations, all of them the harness
 * with which the phase began, under other names (A/A). Probabilities of at least one acceptance.
 */
export interface PhaseNoise {
  candidates: number;
  tasks: number;
  argmax: number;
  /** By the rule of the spec, else as confirmation would be by default; below a level of 0.5 an upper bound. */
  confirm: number;
  rule: ConfirmRule;
}

/** Null for a weight phase, and before its first harness has a score. Takes some milliseconds: not for every frame. */
export function phaseNoise(view: ExperimentView, phase: PhaseView): PhaseNoise | null {
  const tasks = taskProbabilities(view.firstHarnesses.get(phase.phaseId) ?? []);
  if (!tasks || !view.spec) return null;
  const scored = view.archive.filter((entry) => entry.phaseId === phase.phaseId && entry.scored);
  const batches = Array.from(
    { length: phase.iterations },
    (_, i) => scored.filter(({ iteration }) => iteration === i + 1).length,
  );
  const rule = confirmRule(view.spec) ?? ConfirmRule.parse({});
  return {
    candidates: batches.reduce((sum, batch) => sum + batch, 0),
    tasks: tasks.length,
    argmax: argmaxAcceptsNoise({ tasks, batches }),
    confirm: confirmAcceptsNoise({ tasks, batches }, rule),
    rule,
  };
}
