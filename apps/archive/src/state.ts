import type { Diagnostics, EvaluationOpened, HarnessScored, Outcome, TokenCounts } from '@whale/contracts';
import type { ScoredHarness } from '@whale/schedules';

/** How one rollout of a candidate went; kept by rollout id until the candidate has its score. */
export interface TaskFact {
  taskId: string;
  outcome: Outcome;
  diagnostics: Diagnostics;
  tokens: TokenCounts;
}

export interface PhaseArchive {
  /** Null until the phase's first harness (iteration 0) is scored. */
  incumbent: ScoredHarness | null;
  /** The entry that is scored next: candidates get their scores in the order of iteration and index. */
  next: { iteration: number; index: number };
}

export interface ArchiveState {
  /** Evaluations of a harness search that wait for rollouts, by evaluation id. */
  open: Readonly<Record<string, EvaluationOpened['data']>>;
  facts: Readonly<Record<string, Readonly<Record<string, TaskFact>>>>;
  phases: Readonly<Record<string, PhaseArchive>>;
  /** A_j and E_j over all cycles: every (θ, h) pair that has a score, in the order of scoring. */
  entries: readonly HarnessScored['data'][];
  scored: readonly string[];
}

export const initialState: ArchiveState = { open: {}, facts: {}, phases: {}, entries: [], scored: [] };
