import type { Worker } from 'node:worker_threads';
import { spawnTypeScriptWorker } from '@whale/kernel';
import { SandboxError } from './errors.ts';
import { PROGRESS_ROLLOUT, type FromWorker, type ToWorker, type WorkerData } from './protocol.ts';
import type { RolloutRun } from './rollout-run.ts';
import { Watchdog } from './watchdog.ts';

const MAX_FAILED_STARTS = 3;
const CRASHES_TO_BLAME = 2;

/** CPU ms for a step whose rollout was aborted meanwhile. */
const ALLOWANCE_OF_ABORTED = 2000;

/**
 * MiB of address space. QuickJS's own limit (STACK_BYTES) must be reached first: it is the same everywhere, while the
 * size of V8's frames differs from version to version. With the default of 4 MiB some recursions of native functions
 * reached V8's.
 */
const THREAD_STACK_MIB = 64;

function spawnSandboxThread(workerData: WorkerData): Worker {
  const resourceLimits = { stackSizeMb: THREAD_STACK_MIB };
  return spawnTypeScriptWorker(new URL('./worker.ts', import.meta.url), {
    workerData,
    name: 'harness',
    resourceLimits,
  });
}

/**
 * One worker thread and the rollouts in it, kept through restarts.
 *
 * 1. Only the rollout that executes when the watchdog strikes is blamed; those beside and behind it are executed again.
 * 2. A message of a worker that was given up is never heard.
 * 3. An idle worker does not keep the process alive.
 */
export class SandboxWorker {
  readonly #wasm: WebAssembly.Module;
  readonly #spawnThread: (workerData: WorkerData) => Worker;
  readonly #runs = new Map<number, RolloutRun>();
  readonly #watchdog: Watchdog;
  #worker: Worker | undefined;
  #progress = new Int32Array(new SharedArrayBuffer(8));
  #threadId: number | undefined;
  #failedStarts = 0;
  #ready = false;

  /** `spawn` is given by tests that let a worker die. */
  constructor(wasm: WebAssembly.Module, spawn: (workerData: WorkerData) => Worker = spawnSandboxThread) {
    this.#wasm = wasm;
    this.#spawnThread = spawn;
    const progressNow = (): Int32Array => this.#progress;
    const threadNow = (): number | undefined => this.#threadId;
    this.#watchdog = new Watchdog({
      get progress() {
        return progressNow();
      },
      get threadId() {
        return threadNow();
      },
      allowance: (rollout) => this.#runs.get(rollout)?.input.limits.stepMillis ?? ALLOWANCE_OF_ABORTED,
      onStuck: (rollout, together) => this.#onStuck(rollout, together),
    });
  }

  get live(): number {
    return this.#runs.size;
  }

  add(run: RolloutRun): void {
    this.#runs.set(run.number, run);
    if (this.#worker === undefined) this.#spawn();
    this.#worker?.ref();
    this.#watchdog.start();
    this.#post(run.startMessage());
    const remove = (): void => this.#remove(run);
    run.done.then(remove, remove);
  }

  async close(): Promise<void> {
    const error = new SandboxError('SANDBOX_CLOSED', 'the sandbox was closed');
    for (const run of this.#runs.values()) run.fail(error);
    this.#runs.clear();
    await this.#abandon();
  }

  #remove(run: RolloutRun): void {
    if (!this.#runs.delete(run.number)) return;
    this.#post({ type: 'drop', rollout: run.number });
    if (this.#runs.size > 0) return;
    this.#watchdog.stop();
    this.#worker?.unref();
  }

  #post(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #spawn(): void {
    this.#progress = new Int32Array(new SharedArrayBuffer(8));
    this.#threadId = undefined;
    this.#ready = false;
    const workerData: WorkerData = { wasm: this.#wasm, progress: this.#progress.buffer as SharedArrayBuffer };
    const worker = this.#spawnThread(workerData);
    this.#worker = worker;
    let cause: unknown;
    worker.on('message', (message: FromWorker) => {
      if (this.#worker === worker) this.#onMessage(message);
    });
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#onExit(cause);
    });
  }

  /** Gives the thread up at once: from here on it is not listened to. */
  async #abandon(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#watchdog.stop();
    await worker?.terminate();
  }

  #onMessage(message: FromWorker): void {
    if (message.type === 'ready') {
      this.#threadId = message.threadId;
      this.#ready = true;
      this.#failedStarts = 0;
      return;
    }
    const run = this.#runs.get(message.rollout);
    if (run === undefined || run.settled) return;
    switch (message.type) {
      case 'effect': {
        const { index, effect, fuelUsed, memoryBytes } = message;
        // To the worker of then, not of now: an effect can outlive a worker.
        return run.onEffect(index, effect, { fuelUsed, memoryBytes }, (reply) => this.#post(reply));
      }
      case 'answer':
        return run.onAnswer(message.answer, { fuelUsed: message.fuelUsed, memoryBytes: message.memoryBytes });
      case 'failure':
        return run.onFailure(message.failure, { fuelUsed: message.fuelUsed, memoryBytes: message.memoryBytes });
      case 'broken':
        return run.fail(new SandboxError(message.code, message.message, { retryable: message.code === 'SANDBOX_VM' }));
      default:
        return message satisfies never;
    }
  }

  #onStuck(rollout: number, together: boolean): void {
    this.#runs.get(rollout)?.onStuck(together);
    this.#runs.delete(rollout);
    void this.#abandon();
    this.#restart();
  }

  #onExit(cause: unknown): void {
    const executing = Atomics.load(this.#progress, PROGRESS_ROLLOUT);
    this.#worker = undefined;
    this.#watchdog.stop();
    if (!this.#ready) this.#failedStarts += 1;
    if (this.#failedStarts >= MAX_FAILED_STARTS) {
      this.#failedStarts = 0;
      const error = new SandboxError('SANDBOX_WORKER', 'the sandbox worker does not start', { cause, retryable: true });
      for (const run of this.#runs.values()) run.fail(error);
      this.#runs.clear();
      return;
    }
    const run = this.#runs.get(executing);
    if (run !== undefined && ++run.crashes >= CRASHES_TO_BLAME) {
      run.onCrash();
      this.#runs.delete(executing);
    }
    this.#restart();
  }

  #restart(): void {
    if (this.#runs.size === 0) return;
    this.#spawn();
    this.#watchdog.start();
    for (const run of this.#runs.values()) if (!run.settled) this.#post(run.startMessage());
  }
}
