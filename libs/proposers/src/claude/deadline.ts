const LONGEST_TIMER = 2 ** 31 - 1;

/** A signal that also aborts when the time is up. To be cleared. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #follow = (): void => this.#controller.abort(this.#outer.reason);
  passed = false;

  constructor(outer: AbortSignal, milliseconds: number) {
    this.#outer = outer;
    this.#timer = setTimeout(
      () => {
        this.passed = true;
        this.#controller.abort();
      },
      Math.min(Math.max(0, milliseconds), LONGEST_TIMER),
    );
    outer.addEventListener('abort', this.#follow, { once: true });
    if (outer.aborted) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#follow);
  }
}
