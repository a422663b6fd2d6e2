import type {
  AcceptanceDecided,
  Diagnostics,
  EvaluationOpened,
  HarnessScored,
  Outcome,
  TokenCounts,
} from '@whale/contracts';
import type { ScoredHarness } from '@whale/schedules';

/** How one rollout of a candidate went; kept by rollout id until the candidate has its score. */
export interface TaskFact {
  taskId: string;
  outcome: Outcome;
  diagnostics: Diagnostics;
  tokens: TokenCounts;
}

export interface ArchiveState {
  /** Evaluations of a harness search that wait for rollouts, by evaluation id, in the order in which they were opened. */
  open: Readonly<Record<string, EvaluationOpened['data']>>;
  facts: Readonly<Record<string, Readonly<Record<string, TaskFact>>>>;
  /** The arg max of each phase's archive, by phase id; a phase begins with h_k. */
  incumbents: Readonly<Record<string, ScoredHarness>>;
  /** A_j and E_j over all cycles: every (θ, h) pair that has a score, in the order of scoring. */
  entries: readonly HarnessScored['data'][];
  scored: readonly string[];
  /** Absent where the arg max is accepted as it is. */
  confirmation?: ConfirmationState;
}

/** Of an experiment whose winners are confirmed: the scheduler decides, the archive follows. */
export interface ConfirmationState {
  /** Acceptances that wait until the entries before them are scored, in the order in which they were decided. */
  accepted: readonly AcceptanceDecided['data'][];
  /** Ids of confirmations that were heard of. */
  decided: readonly string[];
  /** Groups of fresh rollouts: what comes of them is never part of an entry, so no proposer sees it. */
  groups: readonly string[];
}

export const initialState: ArchiveState = { open: {}, facts: {}, incumbents: {}, entries: [], scored: [] };
