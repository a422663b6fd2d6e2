import type { Worker } from 'node:worker_threads';
import { spawnTypeScriptWorker } from '@whale/kernel';
import { SandboxError } from '../errors.ts';
import type { CheckRequest, FromCheckWorker, Questions } from './protocol.ts';

/** A check takes some tens of ms. Past this the types themselves must be a bomb. */
const CHECK_MILLIS = 20_000;
const HEAP_MIB = 512;

/** The compiler cannot read the source, whose fault it is. */
export class Unreadable extends Error {
  readonly reason: 'depth' | 'cost';

  constructor(reason: 'depth' | 'cost') {
    super(reason === 'depth' ? 'the source is nested too deeply to check' : 'the check takes too much time or memory');
    this.reason = reason;
  }
}

interface Job {
  request: CheckRequest;
  resolve(answer: Questions[keyof Questions]['answered']): void;
  reject(error: unknown): void;
}

/** The TypeScript compiler in a thread of its own, one check at a time, so that it stalls nobody's event loop. */
export class StaticChecker {
  readonly #queue: Job[] = [];
  readonly #checkMillis: number;
  #worker: Worker | undefined;
  #ready = false;
  #current: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(checkMillis = CHECK_MILLIS) {
    this.#checkMillis = checkMillis;
  }

  /** Rejects with Unreadable, or with a SandboxError. */
  ask<Kind extends keyof Questions>(kind: Kind, asked: Questions[Kind]['asked']): Promise<Questions[Kind]['answered']> {
    const request = { id: this.#nextId++, kind, asked } as CheckRequest;
    return new Promise((resolve, reject) => {
      // The worker answers each kind with what Questions says of it.
      this.#queue.push({ request, resolve: resolve as Job['resolve'], reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    const jobs = this.#current === undefined ? this.#queue : [this.#current, ...this.#queue];
    for (const job of jobs.splice(0)) job.reject(new SandboxError('CHECKER', 'the checker was closed'));
    this.#queue.length = 0;
    await this.#abandon();
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const job = this.#queue.shift();
    if (job === undefined) return this.#worker?.unref();
    this.#current = job;
    this.#worker ??= this.#spawn();
    this.#worker.ref();
    if (this.#ready) this.#send(job);
  }

  #send(job: Job): void {
    this.#worker?.postMessage(job.request);
    this.#timer = setTimeout(() => {
      void this.#abandon();
      this.#finish((stuck) => stuck.reject(new Unreadable('cost')));
    }, this.#checkMillis);
  }

  #finish(settle: (job: Job) => void): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    if (job !== undefined) settle(job);
    this.#next();
  }

  #spawn(): Worker {
    this.#ready = false;
    const worker = spawnTypeScriptWorker(new URL('./worker.ts', import.meta.url), {
      name: 'harness-check',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    worker.on('message', (message: FromCheckWorker) => {
      if (this.#worker !== worker) return;
      if (message.type === 'ready') {
        this.#ready = true;
        if (this.#current !== undefined) this.#send(this.#current);
        return;
      }
      if (message.id !== this.#current?.request.id) return;
      if (message.type === 'too-deep') this.#finish((job) => job.reject(new Unreadable('depth')));
      else this.#finish((job) => job.resolve(message.answer));
    });
    worker.on('error', (error: Error & { code?: string }) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#finish((job) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') job.reject(new Unreadable('cost'));
        else job.reject(new SandboxError('CHECKER', `the harness checker failed: ${error.message}`, { cause: error }));
      });
    });
    return worker;
  }

  async #abandon(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#ready = false;
    await worker?.terminate();
  }
}
