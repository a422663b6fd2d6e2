/** Messages between the checker and its worker. Both sides import this file; it must import nothing. */

export interface Problem {
  /** 1-based, in the harness source. */
  line?: number;
  column?: number;
  message: string;
  hint?: string;
}

export type StaticStage = 'parse' | 'structure' | 'types';

/** `domain` problems are in the domain's declarations: its fault, not the harness's. */
export type StaticVerdict =
  | { kind: 'clean' }
  | { kind: 'rejected'; stage: StaticStage; problems: Problem[] }
  | { kind: 'domain'; problem: Problem };

/** A piece of a source that its author has worded. */
export interface Literal {
  kind: 'string' | 'template' | 'regexp' | 'number' | 'comment' | 'name';
  text: string;
  /** Where it begins, 1-based. */
  line: number;
}

/** What can be asked of a source's syntax, and what is answered. */
export interface Questions {
  verdict: { asked: { source: string; harnessTypes: string; domainTypes: string }; answered: StaticVerdict };
  promptsOnly: { asked: { parent: string; candidate: string }; answered: Problem | undefined };
  normalForm: { asked: { source: string }; answered: string };
  literals: { asked: { source: string }; answered: Literal[] };
}

export type CheckRequest = {
  [Kind in keyof Questions]: { id: number; kind: Kind; asked: Questions[Kind]['asked'] };
}[keyof Questions];

export type FromCheckWorker =
  | { type: 'ready' }
  | { type: 'answer'; id: number; answer: Questions[keyof Questions]['answered'] }
  /** The source is nested too deeply for the compiler. */
  | { type: 'too-deep'; id: number };
