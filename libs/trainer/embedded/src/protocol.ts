import type { TokenSample } from '@whale/contracts';
import type { ErrorDescription } from '@whale/kernel';

/** What the trainer says to its thread. */
export type ToWorker =
  | {
      type: 'update';
      id: number;
      weights: Uint8Array;
      optimizer: Uint8Array | null;
      samples: readonly TokenSample[];
      learningRate: number;
      batchTokens: number;
      seed: string;
    }
  | { type: 'abort'; id: number };

export interface PassResult {
  weights: Uint8Array;
  optimizer: Uint8Array;
  loss: number;
  lossTokens: number;
  totalTokens: number;
  batches: number;
}

/** What the thread says. */
export type FromWorker =
  | { type: 'progress'; id: number; batch: number; batches: number; loss: number }
  | { type: 'done'; id: number; result: PassResult }
  | { type: 'failed'; id: number; error: ErrorDescription };

export interface WorkerOptions {
  threads: number;
}
