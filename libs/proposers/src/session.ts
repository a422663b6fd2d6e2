import type { ProposalStep, ProposerUsage } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';
import type { Draft, JudgedDraft, Rejection } from './proposer.ts';

/** The steps that a proposer itself tells of; candidates and the end are told by the host. */
export type OwnStep =
  | Omit<Extract<ProposalStep, { kind: 'call' }>, 'content'>
  | Extract<ProposalStep, { kind: 'call-lost' }>
  | Omit<Extract<ProposalStep, { kind: 'tool' }>, 'content'>;

/** What is written down before money is spent: `usage` and `usd` are the most that the call can cost. */
export interface CallBegun {
  kind: 'call-begun';
  turn: number;
  model: string;
  usage: ProposerUsage;
  usd: number;
}

/** An entry of the session's journal. `content` is the step in full: a reply's blocks, a tool's input and result. */
export type JournalEntry = CallBegun | { kind: 'step'; step: OwnStep; content: JsonValue };

/** One effect of a harness that was tried out, and where its result came from. */
export interface TriedEffect {
  effect: JsonValue;
  /** Null where the trial had to end: nothing recorded answers this prompt. */
  result: JsonValue;
  /** `recorded`: the model said this to exactly these messages; `tool`: the environment, live. */
  from: 'recorded' | 'tool' | 'nothing';
}

export interface Trial {
  taskId: string;
  effects: readonly TriedEffect[];
  /** As in a rollout, or `unrecorded`: the harness asked what nobody has asked the model before. */
  end: JsonValue;
}

/** What the host offers while a batch is written: one session for each attempt, whatever kills there are between. */
export interface ProposalSession {
  readonly signal: AbortSignal;
  /** Absolute path of the workspace (DESIGN §9), made from the log when first asked for, removed with the session. */
  workspace(): Promise<string>;
  /** Judges a draft like one that is written, without counting it. */
  check(draft: Draft): Promise<Rejection | null>;
  /** Runs a source on tasks of D_harness against recorded replies and live tools; no rollout is spent. */
  tryOut(source: string, taskIds: readonly string[]): Promise<readonly Trial[]>;
  /** What earlier processes have done in this session, in order; empty at first. */
  readonly journal: readonly JournalEntry[];
  /** Makes one entry durable, with the audit event of a step, before it resolves. */
  record(entry: JournalEntry): Promise<void>;
  /**
   * The drafts that earlier processes have yielded in this session, in order; empty at first. They count and need not
   * be yielded again; one that is yielded again has the verdict that it had and is not counted twice.
   */
  readonly judged: readonly JudgedDraft[];
}
