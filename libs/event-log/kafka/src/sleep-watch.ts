/**
 * Notices that the process stood still: stopped, suspended or starved. What a coordinator answered before that, and was
 * only read afterwards, says nothing of now; so for a while after it nothing is believed.
 */
export class SleepWatch {
  readonly #longestMs: number;
  readonly #quarantineMs: number;
  readonly #timer: NodeJS.Timeout;
  #lookedAt = performance.now();
  #believesFrom = 0;

  /** A gap of more than `longestMs` between two looks, `everyMs` apart, is a sleep. */
  constructor(everyMs: number, longestMs: number, quarantineMs: number) {
    this.#longestMs = longestMs;
    this.#quarantineMs = quarantineMs;
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  /** How long to wait before answers are believed again, ms; 0 when there was no sleep. */
  get waitMs(): number {
    this.#look();
    return Math.max(0, this.#believesFrom - performance.now());
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#lookedAt > this.#longestMs) this.#believesFrom = now + this.#quarantineMs;
    this.#lookedAt = now;
  }
}
