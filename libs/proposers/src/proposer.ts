import type { HarnessScored, ProposalStep, ProposerSpec } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { ProposalSession } from './session.ts';

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

/**
 * Where a draft fails, in the order in which it is checked:
 * - `duplicate`: this very text has a score under the present θ, is in the batch already, or is the incumbent
 * - `parent`: the parent is neither in the archive nor h₀
 * - `size`, `parse`, `structure`, `types`: the text, without running it
 * - `prompts`: it differs from its parent outside the strings of PROMPTS, and nothing else may differ
 * - `leak`: it contains a question, an answer or the name of the data set
 * - `duplicate` again: it is the same program as one of those, under other comments, types and white space
 * - `smoke`: it throws or overspends on tasks of D_harness
 * - `behaviour`: on recorded effects it does what a harness with a score, or of the batch, does
 */
export type RejectionStage =
  'duplicate' | 'parent' | 'size' | 'parse' | 'structure' | 'types' | 'prompts' | 'leak' | 'smoke' | 'behaviour';

export interface Rejection {
  stage: RejectionStage;
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
  experimentId: string;
  iterationId: string;
  /** From 1; an attempt after a failed one is a new session with another seed. */
  attempt: number;
  cycle: number;
  iteration: number;
  /** The proposer's own settings. */
  proposer: ProposerSpec;
  domain: Domain;
  incumbent: { id: string; source: string };
  /** The present θ. */
  weightsVersion: string;
  /** All that the proposer may know, in the order in which it was scored. */
  archive: readonly ArchiveEntry[];
  /** Valid candidates wanted (M). */
  count: number;
  /** A candidate may differ from its parent only inside the strings of PROMPTS. */
  promptsOnly: boolean;
  /** All that a proposer may draw randomness from. */
  seed: string;
  /** Ids of the harnesses that have a score under the present θ: not to be proposed again. */
  known: ReadonlySet<string>;
}

/** Why a session is over; a limit that stopped it is no failure. */
export interface SessionEnd {
  reason: Extract<ProposalStep, { kind: 'ended' }>['reason'];
  message: string | null;
}

/** Writes candidates for the harness search. An LLM over a workspace, a command or a user's module fit here as well. */
export interface Proposer {
  /**
   * One call is one session. Each draft that it yields is judged, and `yield` evaluates to the rejection, or to null for
   * a valid candidate; so a rejected draft can be replaced. Once `count` drafts are valid, or the most that the host
   * judges are written, the host ends the generator (`return()`).
   *
   * A proposer that ends before says why: by a SessionEnd, by a sentence (`finished`), or not at all (`finished`).
   *
   * After a kill it is called again with the same request; `session.journal` and `session.judged` say what had been done.
   *
   * Throws for infrastructure only: the host tries again later, and what was written by then is kept.
   */
  propose(
    request: ProposalRequest,
    session: ProposalSession,
  ): AsyncGenerator<Draft, SessionEnd | string | void, Rejection | null>;
}
