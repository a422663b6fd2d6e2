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

export interface CheckRequest {
  id: number;
  source: string;
  harnessTypes: string;
  domainTypes: string;
}

export type FromCheckWorker = { type: 'ready' } | { type: 'verdict'; id: number; verdict: StaticVerdict };
