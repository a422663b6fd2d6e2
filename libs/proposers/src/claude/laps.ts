import type { Clock } from '@whale/kernel';

/** Wall time at work, cut into the parts that the steps of a journal say. */
export class Laps {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  /** Whole ms since the last lap. */
  get running(): number {
    return Math.max(0, Math.round(this.#clock.now() - this.#since));
  }

  /** Ends the lap: its ms. */
  end(): number {
    const { running } = this;
    this.#since += running;
    return running;
  }
}
