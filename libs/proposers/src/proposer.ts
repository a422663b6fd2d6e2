import type { HarnessScored } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';

/** One harness measured under one θ; a harness that was measured under two has two entries. */
export interface ArchiveEntry {
  harnessId: string;
  /** TypeScript text of the harness. */
  source: string;
  weightsVersion: string;
  cycle: number;
  /** 0: scored when its phase began. */
  iteration: number;
  index: number;
  /** correct / measured, in [0, 1]; null when nothing was measured. */
  score: number | null;
  measured: number;
  /** One rollout each, on D_harness. */
  tasks: HarnessScored['data']['tasks'];
}

/** A candidate before it is checked. */
export interface Draft {
  /** Complete TypeScript text of the harness. */
  source: string;
  /** Id of the harness that it was made from: the incumbent, one of the archive, or h₀. */
  parent: string;
  /** What its author expects of it, such that the measured score and outcomes can refute it. */
  hypothesis: string;
  /** One line for each thing that differs from the parent. */
  changes: string[];
}

export interface Rejection {
  /** `size`, `parse`, `structure`, `types`, `smoke`, `duplicate` or `parent`. */
  stage: string;
  message: string;
  /** 1-based, in the candidate's source. */
  line: number | null;
}

export interface JudgedDraft {
  draft: Draft;
  /** null: the draft is a valid candidate of the batch. */
  rejection: Rejection | null;
}

export interface ProposalRequest {
  domain: Domain;
  incumbent: { id: string; source: string };
  /** The present θ. */
  weightsVersion: string;
  /** All that the proposer may know, in the order in which it was scored. */
  archive: readonly ArchiveEntry[];
  /** Drafts wanted; more are not looked at. */
  count: number;
  /** All that a proposer may draw randomness from. */
  seed: string;
  /** Ids of the harnesses that have a score under the present θ: not to be proposed again. */
  known: ReadonlySet<string>;
  /** The drafts of this batch so far, judged. Not empty when replacements are asked for. */
  judged: readonly JudgedDraft[];
}

/** Writes candidates for the harness search. An LLM over a workspace, a command or a user's module fit here as well. */
export interface Proposer {
  /**
   * Yields drafts one at a time, so that a stop keeps what is written already, and may return a sentence that says why
   * there are fewer than asked. Throws for infrastructure only.
   */
  propose(request: ProposalRequest, signal: AbortSignal): AsyncGenerator<Draft, string | void, void>;
}
