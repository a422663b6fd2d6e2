import type { SampleRequest, SampleResult } from '@whale/embedded-lm';
import type { ErrorDescription } from '@whale/kernel';

/** What the policy says to a sampling worker. `key` is the sha256 of a checkpoint. */
export type ToWorker =
  | { type: 'load'; key: string; bytes: Uint8Array }
  | { type: 'generate'; id: number; key: string; request: SampleRequest }
  | { type: 'cancel'; id: number };

/** What a sampling worker says. `missing`: the weights are not (or no longer) held; load them and ask again. */
export type FromWorker =
  | { type: 'done'; id: number; result: SampleResult }
  | { type: 'missing'; id: number }
  | { type: 'failed'; id: number; error: ErrorDescription };

export interface WorkerOptions {
  maxBatch: number;
  keptPrefixes: number;
  banks: number;
}
