import type { Worker } from 'node:worker_threads';
import { spawnTypeScriptWorker } from '@whale/kernel';
import { SandboxError } from '../errors.ts';
import type { CheckRequest, FromCheckWorker, StaticVerdict } from './protocol.ts';

/** A check takes some tens of ms. Past this the types themselves must be a bomb. */
const CHECK_MILLIS = 20_000;
const HEAP_MIB = 512;

const TOO_HEAVY: StaticVerdict = {
  kind: 'rejected',
  stage: 'types',
  problems: [{ message: 'the type check takes too much time or memory', hint: 'simplify the types' }],
};

interface Job {
  request: CheckRequest;
  resolve(verdict: StaticVerdict): void;
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

  check(input: Omit<CheckRequest, 'id'>): Promise<StaticVerdict> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ request: { id: this.#nextId++, ...input }, resolve, reject });
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
      this.#finish((stuck) => stuck.resolve(TOO_HEAVY));
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
      } else if (message.id === this.#current?.request.id) {
        this.#finish((job) => job.resolve(message.verdict));
      }
    });
    worker.on('error', (error: Error & { code?: string }) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#finish((job) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') job.resolve(TOO_HEAVY);
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
