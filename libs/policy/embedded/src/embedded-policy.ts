import type { Worker } from 'node:worker_threads';
import type { BlobStore } from '@whale/blob-store';
import type { WeightsRef } from '@whale/contracts';
import { DEFAULT_CONFIG } from '@whale/embedded-lm';
import { spawnTypeScriptWorker, WhaleError } from '@whale/kernel';
import type { GenerateRequest, Generation, Policy } from '@whale/policy';
import type { FromWorker, ToWorker, WorkerOptions } from './protocol.ts';

export interface EmbeddedPolicyOptions {
  blobs: BlobStore;
  /** Sampling threads. Which of them answers does not change the answer. Default 2. */
  workers?: number;
  /** Sequences that one worker samples together. Default 64. */
  maxBatch?: number;
  /** Sequences that one worker keeps so that later prompts can start from their prefix. Default 192. */
  keptPrefixes?: number;
  /** Weight versions that one worker holds. Default 4. */
  versions?: number;
}

interface Pending {
  request: GenerateRequest;
  resolve(generation: Generation): void;
  reject(error: unknown): void;
  /** Times the worker answered that it does not hold the weights. */
  misses: number;
}

interface Seat {
  worker: Worker;
  pending: Map<number, Pending>;
  /** sha256 of the checkpoints sent to it. */
  sent: Map<string, Promise<void>>;
}

const MOST_MISSES = 3;
/** A worker may have this many more requests than the idlest before a request leaves the worker of its prefix. */
const SLACK = 16;

/**
 * The embedded language model behind the policy port.
 *
 * 1. A generation depends on weights, messages, stop, maxTokens, temperature and seed only: not on what is batched
 *    beside it, on the number of workers or on which one answers.
 * 2. The weights that answer are the bytes of `request.weights.sha256`, verified; never another version.
 * 3. A prompt too long for the context is not an error: finish `context`, no text, no tokens.
 *
 * Errors: what the blob store throws; LM_CHECKPOINT, LM_TOKENIZER, LM_WEIGHTS for bad weights; POLICY_CLOSED;
 * POLICY_WORKER (retryable) when a thread died; the signal's reason when it aborts.
 */
export class EmbeddedPolicy implements Policy {
  readonly contextTokens = DEFAULT_CONFIG.context;
  readonly #blobs: BlobStore;
  readonly #options: WorkerOptions;
  readonly #seats: (Seat | undefined)[];
  #nextId = 0;
  #closed = false;

  constructor(options: EmbeddedPolicyOptions) {
    const { blobs, workers = 2, maxBatch = 64, keptPrefixes = 192, versions = 4 } = options;
    this.#blobs = blobs;
    this.#options = { maxBatch, keptPrefixes, banks: versions };
    this.#seats = Array.from({ length: workers }, () => undefined);
  }

  generate(request: GenerateRequest, signal?: AbortSignal): Promise<Generation> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new WhaleError('POLICY_CLOSED', 'the policy is closed');
      signal?.throwIfAborted();
      const seat = this.#seatFor(request);
      const id = this.#nextId++;
      const onAbort = () => {
        seat.pending.delete(id);
        post(seat, { type: 'cancel', id });
        rest(seat);
        reject(signal?.reason as Error);
      };
      const settle = () => {
        signal?.removeEventListener('abort', onAbort);
        rest(seat);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      seat.worker.ref();
      seat.pending.set(id, {
        request,
        misses: 0,
        resolve: (generation) => (settle(), resolve(generation)),
        reject: (error) => (settle(), reject(error as Error)),
      });
      void this.#ask(seat, id);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const seats = this.#seats.splice(0);
    for (const seat of seats) {
      if (seat === undefined) continue;
      failAll(seat, new WhaleError('POLICY_CLOSED', 'the policy was closed'));
      await seat.worker.terminate();
    }
  }

  /** Sends the weights when the worker has not got them, then the request. */
  async #ask(seat: Seat, id: number): Promise<void> {
    const pending = seat.pending.get(id);
    if (pending === undefined) return;
    const { weights, messages, stop, maxTokens, temperature, seed } = pending.request;
    try {
      await this.#send(seat, weights);
    } catch (error) {
      seat.pending.delete(id);
      pending.reject(error);
      return;
    }
    if (!seat.pending.has(id)) return;
    const request = { messages, stop, maxTokens, temperature, seed };
    post(seat, { type: 'generate', id, key: weights.sha256, request });
  }

  #send(seat: Seat, weights: WeightsRef): Promise<void> {
    const known = seat.sent.get(weights.sha256);
    if (known !== undefined) return known;
    const sending = this.#blobs.get(weights).then((bytes) => {
      const copy = new Uint8Array(bytes);
      post(seat, { type: 'load', key: weights.sha256, bytes: copy }, [copy.buffer]);
    });
    seat.sent.set(weights.sha256, sending);
    sending.catch(() => seat.sent.delete(weights.sha256));
    return sending;
  }

  /** Prompts that begin alike go to the same worker, so that they share their prefix, unless it is far behind. */
  #seatFor(request: GenerateRequest): Seat {
    let hash = 0;
    for (const { content } of request.messages.slice(0, 2)) {
      for (let i = 0; i < content.length; i++) hash = (Math.imul(hash, 31) + content.charCodeAt(i)) | 0;
    }
    const load = (index: number) => this.#seats[index]?.pending.size ?? 0;
    const indices = [...this.#seats.keys()];
    const home = (hash >>> 0) % indices.length;
    const idlest = indices.reduce((best, index) => (load(index) < load(best) ? index : best), home);
    const index = load(home) > load(idlest) + SLACK ? idlest : home;
    return (this.#seats[index] ??= this.#open(index));
  }

  #open(index: number): Seat {
    const worker = spawnTypeScriptWorker(new URL('./sampling-worker.ts', import.meta.url), {
      workerData: this.#options,
    });
    const seat: Seat = { worker, pending: new Map(), sent: new Map() };
    worker.unref();
    const lost = (cause: unknown) => {
      if (this.#seats[index] === seat) this.#seats[index] = undefined;
      failAll(seat, new WhaleError('POLICY_WORKER', 'a sampling thread ended', { retryable: true, cause }));
    };
    worker.on('error', lost);
    worker.on('exit', lost);
    worker.on('message', (message: FromWorker) => this.#hear(seat, message));
    return seat;
  }

  #hear(seat: Seat, message: FromWorker): void {
    const pending = seat.pending.get(message.id);
    if (pending === undefined) return;
    const { sha256 } = pending.request.weights;
    if (message.type === 'missing' && pending.misses < MOST_MISSES) {
      // Evicted by other versions since it was sent.
      pending.misses += 1;
      seat.sent.delete(sha256);
      void this.#ask(seat, message.id);
      return;
    }
    seat.pending.delete(message.id);
    if (message.type === 'done') {
      pending.resolve(message.result);
    } else {
      seat.sent.delete(sha256);
      const missing = { code: 'LM_WEIGHTS', message: `weights ${sha256} do not stay loaded`, retryable: true };
      const error = message.type === 'failed' ? message.error : missing;
      pending.reject(new WhaleError(error.code, error.message, { retryable: error.retryable }));
    }
  }
}

function post(seat: Seat, message: ToWorker, transfer: ArrayBuffer[] = []): void {
  seat.worker.postMessage(message, transfer);
}

/** A worker keeps the process alive only while somebody waits for it. */
function rest(seat: Seat): void {
  if (seat.pending.size === 0) seat.worker.unref();
}

function failAll(seat: Seat, error: WhaleError): void {
  const waiting = [...seat.pending.values()];
  seat.pending.clear();
  for (const { reject } of waiting) reject(error);
}
