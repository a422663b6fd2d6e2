import type { EffectRecord } from '@whale/contracts';
import { canonicalJson, type JsonValue } from '@whale/kernel';
import { SandboxError } from './errors.ts';
import { HarnessLimits, type HarnessLimitsInput } from './limits.ts';
import { loadQuickJs } from './load-quickjs.ts';
import { type EffectHandler, type HarnessRun, RolloutRun } from './rollout-run.ts';
import { SandboxWorker } from './sandbox-worker.ts';

export interface HarnessSandboxOptions {
  /** Worker threads, started when needed. A step uses one core of one of them. */
  workers?: number;
  /** VMs alive at once, about 1.5 MiB each and up to `memoryBytes` more; further runs wait in line. */
  maxLive?: number;
}

export interface RunInput {
  /** TypeScript. */
  source: string;
  /** What the harness sees of the task. */
  task: JsonValue;
  limits?: HarnessLimitsInput;
  /**
   * Called once for each effect, in order. If it rejects, `run` rejects with the same and the VM is given up: that is
   * never a harness_error, and it is the way to end a rollout early (an error of the caller's own, to know it by).
   */
  onEffect: EffectHandler;
  /** `run` rejects with its reason; an effect in flight is left to the caller's own signal. */
  signal?: AbortSignal;
}

/** Executes harnesses in QuickJS VMs on worker threads. One for a process; many rollouts at once. */
export class HarnessSandbox {
  readonly #maxLive: number;
  readonly #workerCount: number;
  readonly #waiting: RolloutRun[] = [];
  #workers: SandboxWorker[] = [];
  #wasm: Promise<WebAssembly.Module> | undefined;
  #nextNumber = 1;
  #live = 0;
  #closed = false;

  constructor(options: HarnessSandboxOptions = {}) {
    this.#workerCount = options.workers ?? 1;
    this.#maxLive = options.maxLive ?? 256;
  }

  /**
   * How the harness fares is the `end` of the run. Rejects with what `onEffect` rejected with, with the signal's reason,
   * with a SandboxError, or with a ZodError for bad limits.
   */
  async run(input: RunInput): Promise<HarnessRun> {
    const limits = HarnessLimits.parse(input.limits ?? {});
    input.signal?.throwIfAborted();
    const bytes = Buffer.byteLength(input.source);
    if (bytes > limits.sourceBytes) {
      const message = `the source has ${bytes} bytes; at most ${limits.sourceBytes} are allowed`;
      const end = { kind: 'harness_error', code: 'SOURCE_TOO_LARGE', message } as const;
      return { end, effects: [], fuelUsed: 0, memoryBytes: 0 };
    }
    await this.#prepare();
    input.signal?.throwIfAborted();
    if (this.#closed) throw new SandboxError('SANDBOX_CLOSED', 'the sandbox was closed');
    const { source, task, onEffect, signal } = input;
    const run = new RolloutRun(this.#nextNumber++, { source, task, limits, onEffect });
    const onAbort = (): void => run.fail(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(run);
    this.#admit();
    try {
      return await run.done;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Executes again with recorded effects; the HarnessRun is equal, by canonicalHash, to the one that they come from.
   * Rejects with REPLAY_DIVERGED when the harness yields another effect than recorded, or more or fewer.
   */
  async replay(input: Omit<RunInput, 'onEffect'> & { effects: readonly EffectRecord[] }): Promise<HarnessRun> {
    const { effects, ...rest } = input;
    const run = await this.run({
      ...rest,
      onEffect: (effect, index) => {
        const record = effects[index];
        if (record === undefined) {
          throw new SandboxError('REPLAY_DIVERGED', `the harness yields effect ${index + 1}, the record has ${index}`);
        }
        if (canonicalJson(effect) !== canonicalJson(record.effect)) {
          throw new SandboxError('REPLAY_DIVERGED', `effect ${index + 1} is not the recorded one`);
        }
        return record.result;
      },
    });
    if (run.effects.length < effects.length) {
      const message = `the harness ended after ${run.effects.length} effects, the record has ${effects.length}`;
      throw new SandboxError('REPLAY_DIVERGED', message);
    }
    return run;
  }

  /** Ends all; runs in flight reject with SANDBOX_CLOSED. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = new SandboxError('SANDBOX_CLOSED', 'the sandbox was closed');
    for (const run of this.#waiting.splice(0)) run.fail(error);
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }

  async #prepare(): Promise<void> {
    this.#wasm ??= loadQuickJs();
    const wasm = await this.#wasm;
    if (this.#workers.length === 0) {
      this.#workers = Array.from({ length: this.#workerCount }, () => new SandboxWorker(wasm));
    }
  }

  #admit(): void {
    while (this.#live < this.#maxLive) {
      const run = this.#waiting.shift();
      if (run === undefined) return;
      if (run.settled) continue;
      const worker = this.#workers.reduce((least, other) => (other.live < least.live ? other : least));
      this.#live += 1;
      const leave = (): void => {
        this.#live -= 1;
        this.#admit();
      };
      worker.add(run);
      run.done.then(leave, leave);
    }
  }
}
