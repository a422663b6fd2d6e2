import { PROGRESS_ROLLOUT, PROGRESS_STEP } from './protocol.ts';
import { threadCpuMillis } from './thread-cpu.ts';

const TICK_MILLIS = 25;

/** A thread that gets almost no CPU (or sleeps, which a VM cannot) is given up after this many times its allowance. */
const WALL_FACTOR = 30;

export interface WatchdogTarget {
  readonly progress: Int32Array;
  readonly threadId: number | undefined;
  /** Allowed CPU ms of one step of this rollout. */
  allowance(rollout: number): number;
  onStuck(rollout: number): void;
}

/**
 * Looks at one worker from outside and names the rollout whose single step has used up its CPU allowance. It reads only
 * shared memory, so a busy event loop makes it late, never wrong: a step that has come back by then is a new step.
 */
export class Watchdog {
  readonly #target: WatchdogTarget;
  #timer: NodeJS.Timeout | undefined;
  #step = -1;
  #cpuAtStart = 0;
  #wall = 0;
  #lastTick = 0;

  constructor(target: WatchdogTarget) {
    this.#target = target;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#step = -1;
    this.#timer = setInterval(() => this.#tick(), TICK_MILLIS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const { progress, threadId } = this.#target;
    const rollout = Atomics.load(progress, PROGRESS_ROLLOUT);
    const step = Atomics.load(progress, PROGRESS_STEP);
    const now = performance.now();
    if (rollout === 0 || step !== this.#step) {
      this.#step = rollout === 0 ? -1 : step;
      if (rollout !== 0) this.#cpuAtStart = threadCpuMillis(threadId);
      this.#wall = 0;
      this.#lastTick = now;
      return;
    }
    this.#wall += Math.min(now - this.#lastTick, 2 * TICK_MILLIS);
    this.#lastTick = now;
    const allowance = this.#target.allowance(rollout);
    if (this.#wall < allowance) return;
    const used = threadCpuMillis(threadId) - this.#cpuAtStart;
    if (used < allowance && this.#wall < allowance * WALL_FACTOR) return;
    if (Atomics.load(progress, PROGRESS_STEP) !== step || Atomics.load(progress, PROGRESS_ROLLOUT) !== rollout) return;
    this.#step = -1;
    this.#target.onStuck(rollout);
  }
}
