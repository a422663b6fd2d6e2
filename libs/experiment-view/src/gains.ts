import type { Estimate } from '@whale/contracts';
import { pairOf } from './result.ts';
import type { ExperimentView, PhaseView } from './view.ts';

/** Difference of two proportions with its 95% interval, in [−1, 1]. */
export interface Difference {
  mean: number;
  low: number;
  high: number;
}

/** What a phase brought on test: the pair at its end against the pair at its beginning. */
export interface PhaseGain {
  phase: PhaseView;
  before: Estimate | null;
  after: Estimate | null;
  /** null where one of the two was not measured (evaluation.after: cycle), or the phase is not over. */
  brought: Difference | null;
}

export function phaseGains(view: ExperimentView): PhaseGain[] {
  return view.phases.map((phase) => phaseGain(view, phase));
}

export function phaseGain(view: ExperimentView, phase: PhaseView): PhaseGain {
  const before = pairOf(view, phase.start)?.test ?? null;
  const after = phase.end ? (pairOf(view, phase.end)?.test ?? null) : null;
  return { phase, before, after, brought: before && after && difference(before, after) };
}

/** Newcombe's hybrid interval (1998, method 10), built from the two Wilson intervals. */
export function difference(before: Estimate, after: Estimate): Difference {
  const mean = after.mean - before.mean;
  const down = Math.hypot(after.mean - after.low, before.high - before.mean);
  const up = Math.hypot(after.high - after.mean, before.mean - before.low);
  return { mean, low: Math.max(-1, mean - down), high: Math.min(1, mean + up) };
}
