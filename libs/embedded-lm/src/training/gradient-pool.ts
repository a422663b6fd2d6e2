import type { Worker } from 'node:worker_threads';
import { spawnTypeScriptWorker, WhaleError } from '@whale/kernel';
import type { LmConfig } from '../config.ts';
import { Weights } from '../weights.ts';
import { GradientEngine, type Batch, type Gradient } from './gradient.ts';

export interface HelperData {
  config: LmConfig;
  /** The parameters, shared with the thread that owns the pool. */
  parameters: SharedArrayBuffer;
}

export type HelperReply = { id: number; gradient: Gradient } | { id: number; error: string };

/**
 * Gradients of the parts of a batch, on this thread and on helper threads. A part's gradient does not depend on the
 * thread that computes it, and parts are added in order, so the number of threads changes no bit.
 */
export class GradientPool {
  /** The weights that gradients are taken at. Change them only between calls. */
  readonly weights: Weights;
  readonly #engine: GradientEngine;
  readonly #helpers: Worker[];
  readonly #waiting = new Map<number, { resolve: (gradient: Gradient) => void; reject: (error: Error) => void }>();
  #nextId = 0;

  constructor(config: LmConfig, threads: number) {
    const parameters = new SharedArrayBuffer(new Weights(config).data.byteLength);
    this.weights = new Weights(config, new Float32Array(parameters));
    this.#engine = new GradientEngine(config);
    this.#helpers = Array.from({ length: threads - 1 }, () => this.#open({ config, parameters }));
  }

  /** Sum of loss and gradient over the parts. */
  async compute(parts: readonly Batch[]): Promise<Gradient> {
    const threads = this.#helpers.length + 1;
    // Helpers first: this thread is deaf while it computes.
    const remote = parts.map((part, i) => {
      const helper = this.#helpers[(i % threads) - 1];
      return helper === undefined ? undefined : this.#ask(helper, part);
    });
    const local = parts.map((part, i) =>
      remote[i] === undefined ? this.#engine.compute(this.weights, part) : undefined,
    );
    const sum: Gradient = { loss: 0, gradient: new Float32Array(this.weights.data.length) };
    for (const i of parts.keys()) {
      const { loss, gradient } = local[i] ?? (await (remote[i] as Promise<Gradient>));
      sum.loss += loss;
      for (let k = 0; k < gradient.length; k++) (sum.gradient[k] as number) += gradient[k] as number;
    }
    return sum;
  }

  async close(): Promise<void> {
    await Promise.all(this.#helpers.map((helper) => helper.terminate()));
  }

  #ask(helper: Worker, batch: Batch): Promise<Gradient> {
    const id = this.#nextId++;
    const reply = new Promise<Gradient>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // A failure is seen where the reply is awaited; until then it must not count as unhandled.
    reply.catch(() => undefined);
    helper.postMessage({ id, batch });
    return reply;
  }

  #open(data: HelperData): Worker {
    const helper = spawnTypeScriptWorker(new URL('./gradient-helper.ts', import.meta.url), { workerData: data });
    helper.unref();
    const lost = (cause: unknown) => {
      const error = new WhaleError('TRAINER_WORKER', 'a gradient thread ended', { retryable: true, cause });
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    helper.on('error', lost);
    helper.on('exit', lost);
    helper.on('message', (reply: HelperReply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) waiting?.reject(new WhaleError('TRAINER_WORKER', reply.error));
      else waiting?.resolve(reply.gradient);
    });
    return helper;
  }
}
