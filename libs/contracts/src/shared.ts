import { z } from 'zod';
import { Estimate, Id, Outcome } from './primitives.ts';

export const PhaseKind = z.enum(['weight', 'harness']);
export type PhaseKind = z.infer<typeof PhaseKind>;

const count = z.int().nonnegative();

export const OutcomeCounts = z.strictObject({
  correct: count,
  incorrect: count,
  truncated: count,
  harness_error: count,
  infrastructure_error: count,
  verifier_error: count,
});
export type OutcomeCounts = z.infer<typeof OutcomeCounts>;

export function noOutcomes(): OutcomeCounts {
  return { correct: 0, incorrect: 0, truncated: 0, harness_error: 0, infrastructure_error: 0, verifier_error: 0 };
}

const MEASURED: ReadonlySet<Outcome> = new Set<Outcome>(['correct', 'incorrect', 'truncated', 'harness_error']);

/** Whether a rollout counts as reward: all do but infrastructure and verifier errors (DESIGN §5). */
export function isMeasured(outcome: Outcome): boolean {
  return MEASURED.has(outcome);
}

export function measuredRollouts(outcomes: OutcomeCounts): number {
  return Outcome.options.filter(isMeasured).reduce((sum, outcome) => sum + outcomes[outcome], 0);
}

export const TokenCounts = z.strictObject({ prompt: count, sampled: count });
export type TokenCounts = z.infer<typeof TokenCounts>;

/** What a rollout was made for: the unit that closes when all of its rollouts are judged. */
export const RolloutGroup = z.strictObject({
  id: Id,
  /** The ledger's line: a weight step, a candidate's score, or validation and test. */
  purpose: z.enum(['weight', 'harness', 'evaluation']),
});
export type RolloutGroup = z.infer<typeof RolloutGroup>;

export const PairResult = z.strictObject({
  weights: z.string(),
  harness: z.string(),
  cycle: z.int().nonnegative(),
  test: Estimate,
  validation: Estimate.nullable(),
  chosenOn: z.enum(['validation', 'last', 'test', 'base']),
});
export type PairResult = z.infer<typeof PairResult>;

export const Ledger = z.strictObject({
  rollouts: z.strictObject({ weight: count, harness: count, evaluation: count }),
  tokens: z.strictObject({ prompt: count, sampled: count, trained: count, processed: count }),
  proposer: z.strictObject({ calls: count, tokens: count, usd: z.number().nonnegative() }),
});
export type Ledger = z.infer<typeof Ledger>;
