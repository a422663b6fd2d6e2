/** Messages between the host and a sandbox worker. Both sides import this file; it must import nothing. */

/** Why a harness failed. They are the `code` of a `harness_error` end. */
export type HarnessErrorCode =
  | 'SOURCE_TOO_LARGE'
  | 'PARSE'
  | 'STRUCTURE'
  | 'RUNTIME'
  | 'FUEL'
  | 'MEMORY'
  | 'WATCHDOG'
  | 'CRASH'
  | 'EFFECT_SHAPE'
  | 'EFFECT_TOO_LARGE'
  | 'RECORD_TOO_LARGE'
  | 'ANSWER_SHAPE'
  | 'ANSWER_TOO_LARGE';

export interface HarnessFailure {
  code: HarnessErrorCode;
  message: string;
  /** 1-based, in the harness source. */
  line?: number;
  column?: number;
}

/** An effect and its result as JSON texts, as they crossed the boundary. */
export interface RecordedStep {
  effect: string;
  result: string;
}

/** See HarnessLimits. */
export interface VmLimits {
  fuel: number;
  memoryBytes: number;
  effectBytes: number;
  answerBytes: number;
}

export interface WorkerData {
  wasm: WebAssembly.Module;
  /** Int32: [PROGRESS_ROLLOUT] the rollout that executes now, 0 for none; [PROGRESS_STEP] counts steps. */
  progress: SharedArrayBuffer;
}

export const PROGRESS_ROLLOUT = 0;
export const PROGRESS_STEP = 1;

export type ToWorker =
  | {
      type: 'start';
      rollout: number;
      source: string;
      /** JSON texts. */
      task: string;
      limits: string;
      vm: VmLimits;
      /** Executed again without a word to the host. */
      recorded: RecordedStep[];
    }
  | { type: 'resume'; rollout: number; result: string }
  | { type: 'drop'; rollout: number };

export interface Usage {
  fuelUsed: number;
  /** The largest heap seen after a step. */
  memoryBytes: number;
}

export type FromWorker =
  | { type: 'ready'; threadId: number | undefined }
  | ({ type: 'effect'; rollout: number; index: number; effect: string } & Usage)
  | ({ type: 'answer'; rollout: number; answer: string | null } & Usage)
  | ({ type: 'failure'; rollout: number; failure: HarnessFailure } & Usage)
  /** Not the harness's fault: the machine gave no memory, or a recorded effect came out otherwise. */
  | { type: 'broken'; rollout: number; code: 'SANDBOX_VM' | 'REPLAY_DIVERGED'; message: string };
