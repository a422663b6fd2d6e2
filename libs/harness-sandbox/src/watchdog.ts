import { PROGRESS_ROLLOUT, PROGRESS_STEP } from './protocol.ts';
import { threadCpuMillis } from './thread-cpu.ts';

const TICK_MILLIS = 10;

/** Wall ms that count between two ticks: when the host's own loop stood still, nobody saw what the thread did. */
const MOST_BETWEEN_TICKS = 50;

/** The steps of a rollout may use so many times the allowance of one, together. */
export const STEPS_AT_FULL = 10;

/** A thread that gets almost no CPU (or sleeps, which a VM cannot) is given up after this many times its allowance. */
const WALL_FACTOR = 30;

export interface WatchdogTarget {
  readonly progress: Int32Array;
  readonly threadId: number | undefined;
  /** Allowed CPU ms of one step of this rollout. */
  allowance(rollout: number): number;
  /** `together`: no step of it was too long, but all of them are. */
  onStuck(rollout: number, together: boolean): void;
}

/**
 * Looks at one worker from outside and names the rollout whose single step has used up its CPU allowance, or whose steps
 * together have used up a multiple of it, as far as they are long enough to be seen. It reads only shared memory, so a
 * busy event loop makes it late, never wrong: a step that has come back by then is a new step.
 */
export class Watchdog {
  readonly #target: WatchdogTarget;
  #timer: NodeJS.Timeout | undefined;
  #step = -1;
  #rollout = 0;
  #cpuAtStart = 0;
  /** CPU ms of the step, as of the last tick. */
  #used = 0;
  #wall = 0;
  #lastTick = 0;
  /** CPU ms of the steps before, by rollout. */
  readonly #spent = new Map<number, number>();

  constructor(target: WatchdogTarget) {
    this.#target = target;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#step = -1;
    this.#timer = setInterval(() => this.#tick(), TICK_MILLIS);
    this.#timer.unref();
  }

  /** A fresh thread executes its rollouts anew: what they have spent by now does not count. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#rollout = 0;
    this.#spent.clear();
  }

  #tick(): void {
    const { progress, threadId } = this.#target;
    const rollout = Atomics.load(progress, PROGRESS_ROLLOUT);
    const step = Atomics.load(progress, PROGRESS_STEP);
    const now = performance.now();
    if (rollout === 0 || step !== this.#step) {
      if (this.#rollout !== 0) this.#spent.set(this.#rollout, this.#spentBy(this.#rollout) + this.#used);
      this.#rollout = rollout;
      this.#step = rollout === 0 ? -1 : step;
      if (rollout !== 0) this.#cpuAtStart = threadCpuMillis(threadId);
      this.#used = 0;
      this.#wall = 0;
      this.#lastTick = now;
      return;
    }
    this.#wall += Math.min(now - this.#lastTick, MOST_BETWEEN_TICKS);
    this.#lastTick = now;
    // No thread uses more than the time there is; where /proc is not there, the process does.
    this.#used = Math.min(threadCpuMillis(threadId) - this.#cpuAtStart, this.#wall);
    const allowance = this.#target.allowance(rollout);
    const tooLong = this.#used >= allowance || this.#wall >= allowance * WALL_FACTOR;
    const together = this.#spentBy(rollout) + this.#used >= allowance * STEPS_AT_FULL;
    if (!tooLong && !together) return;
    if (Atomics.load(progress, PROGRESS_STEP) !== step || Atomics.load(progress, PROGRESS_ROLLOUT) !== rollout) return;
    this.#step = -1;
    this.#target.onStuck(rollout, !tooLong);
  }

  #spentBy(rollout: number): number {
    return this.#spent.get(rollout) ?? 0;
  }
}
