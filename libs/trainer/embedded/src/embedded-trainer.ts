import type { Worker } from 'node:worker_threads';
import type { BlobStore } from '@whale/blob-store';
import { spawnTypeScriptWorker, WhaleError } from '@whale/kernel';
import type { Trainer, UpdateProgress, UpdateRequest, UpdateResult } from '@whale/trainer';
import type { FromWorker, PassResult, ToWorker, WorkerOptions } from './protocol.ts';

export interface EmbeddedTrainerOptions {
  blobs: BlobStore;
  /** Threads that compute gradients. Their number does not change the result. Default 2. */
  threads?: number;
}

interface Pending {
  onProgress: ((progress: UpdateProgress) => void) | undefined;
  resolve(result: PassResult): void;
  reject(error: unknown): void;
}

/**
 * RSFT of the embedded model: one pass by real gradients, in worker threads, updates one after the other.
 *
 * 1. Same weights, optimizer state, samples, rates and seed: same bytes of weights and optimizer (same sha256), on any
 *    number of threads. So `updateId` needs no cache: an update asked for again gives the same result.
 * 2. Only the positions of `modelSpans` carry loss, with equal weight (`sftPass`). A sample that does not fit the model
 *    is refused, never cut.
 *
 * Errors: LM_SAMPLE (a sample is longer than the context, …), LM_CHECKPOINT, LM_TOKENIZER, LM_WEIGHTS for bad blobs,
 * LM_DIVERGED (a gradient is not finite), TRAINER_WORKER (retryable: a thread died), TRAINER_CLOSED; the signal's reason
 * when it aborts; what the blob store throws.
 */
export class EmbeddedTrainer implements Trainer {
  readonly #blobs: BlobStore;
  readonly #options: WorkerOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #nextId = 0;
  #closed = false;

  constructor({ blobs, threads = 2 }: EmbeddedTrainerOptions) {
    this.#blobs = blobs;
    this.#options = { threads };
  }

  async update(
    request: UpdateRequest,
    onProgress?: (progress: UpdateProgress) => void,
    signal?: AbortSignal,
  ): Promise<UpdateResult> {
    const { samples, learningRate, batchTokens, seed } = request;
    if (samples.length === 0) throw new WhaleError('LM_SAMPLE', 'an update without samples changes no weights');
    const [weights, optimizer] = await Promise.all([
      this.#blobs.get(request.weights),
      request.optimizer === null ? null : this.#blobs.get(request.optimizer),
    ]);
    signal?.throwIfAborted();
    const pass = await this.#run({ weights, optimizer, samples, learningRate, batchTokens, seed }, onProgress, signal);
    const { loss, lossTokens, totalTokens, batches } = pass;
    return {
      weights: await this.#blobs.put(pass.weights),
      optimizer: await this.#blobs.put(pass.optimizer),
      loss,
      lossTokens,
      totalTokens,
      batches,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#failAll(new WhaleError('TRAINER_CLOSED', 'the trainer was closed'));
    await this.#worker?.terminate();
  }

  #run(
    update: Omit<Extract<ToWorker, { type: 'update' }>, 'type' | 'id'>,
    onProgress: Pending['onProgress'],
    signal: AbortSignal | undefined,
  ): Promise<PassResult> {
    if (this.#closed) throw new WhaleError('TRAINER_CLOSED', 'the trainer is closed');
    const worker = (this.#worker ??= this.#open());
    const id = this.#nextId++;
    const post = (message: ToWorker) => worker.postMessage(message);
    return new Promise<PassResult>((resolve, reject) => {
      const onAbort = () => {
        post({ type: 'abort', id });
        this.#settle(id)?.reject(signal?.reason);
      };
      const quiet = () => signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', onAbort, { once: true });
      worker.ref();
      this.#pending.set(id, {
        onProgress,
        resolve: (result) => (quiet(), resolve(result)),
        reject: (error) => (quiet(), reject(error as Error)),
      });
      post({ type: 'update', id, ...update });
    });
  }

  #open(): Worker {
    const worker = spawnTypeScriptWorker(new URL('./training-worker.ts', import.meta.url), {
      workerData: this.#options,
    });
    const lost = (cause: unknown) => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll(new WhaleError('TRAINER_WORKER', 'the training thread ended', { retryable: true, cause }));
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'progress') {
        const { batch, batches, loss } = message;
        this.#pending.get(message.id)?.onProgress?.({ batch, batches, loss });
      } else if (message.type === 'done') {
        this.#settle(message.id)?.resolve(message.result);
      } else {
        const { code, message: text, retryable } = message.error;
        this.#settle(message.id)?.reject(new WhaleError(code, text, { retryable }));
      }
    });
    return worker;
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
    return pending;
  }

  #failAll(error: WhaleError): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(error);
  }
}
