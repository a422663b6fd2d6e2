/** A latch: a signal given while nobody waits is not lost. */
export class WakeUp {
  #signalled = false;
  #wake: (() => void) | undefined;

  signal(): void {
    this.#signalled = true;
    this.#wake?.();
  }

  /** Until the next signal, or for `milliseconds` at most (no limit when undefined). */
  async wait(milliseconds: number | undefined): Promise<void> {
    if (!this.#signalled && (milliseconds === undefined || milliseconds > 0)) {
      await new Promise<void>((resolve) => {
        const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    this.#signalled = false;
  }
}
