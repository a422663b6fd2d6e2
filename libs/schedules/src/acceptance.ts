import { ConfirmRule, type Spec } from '@whale/contracts';
import type { PairedComparison } from './paired.ts';

/** A scored harness; `score` is null when nothing of it could be measured. */
export interface ScoredHarness {
  harnessId: string;
  score: number | null;
}

/** Arg max of the archive; ties keep the incumbent, and an unmeasured harness never wins (DESIGN §5). */
export function argmax(incumbent: ScoredHarness, challenger: ScoredHarness): ScoredHarness {
  if (challenger.score === null) return incumbent;
  if (incumbent.score === null || challenger.score > incumbent.score) return challenger;
  return incumbent;
}

/** How an apparent winner is confirmed; null where the arg max is accepted as it is. */
export function confirmRule({ harness }: Pick<Spec, 'harness'>): ConfirmRule | null {
  return harness.acceptance === 'confirm' ? (harness.confirm ?? ConfirmRule.parse({})) : null;
}

export interface Acceptance {
  accepted: boolean;
  reason: 'better' | 'not-better' | 'not-significant' | 'unmeasured';
}

/**
 * Whether fresh rollouts confirm an apparent winner: its mean paired difference must be above 0, and p at most the level
 * (of a mean above 0 it is at most 0.5 anyway). A tie keeps the incumbent, and so does a comparison in which nothing could be measured.
 */
export function confirmed({ mean, p }: PairedComparison, { level }: ConfirmRule): Acceptance {
  if (mean === null || p === null) return { accepted: false, reason: 'unmeasured' };
  if (mean <= 0) return { accepted: false, reason: 'not-better' };
  if (p > level && level < 0.5) return { accepted: false, reason: 'not-significant' };
  return { accepted: true, reason: 'better' };
}

/** Harness rollouts that an iteration with all its candidates, and a confirmation after it, may need. */
export function iterationRollouts(spec: Pick<Spec, 'harness'>, tasks: number): number {
  const rule = confirmRule(spec);
  return tasks * (spec.harness.candidates + (rule ? 2 * rule.rolloutsPerTask : 0));
}
