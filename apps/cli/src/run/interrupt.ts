import { EXIT } from '../errors.ts';

/** npm and npx send the signal of a terminal on to a child that has had it already: so soon, it is the same Ctrl-C. */
const SAME_MS = 1_000;

/** Ctrl-C and SIGTERM: the first asks to stop, another one stops at once. */
export class Interrupt {
  #askedAt: number | null = null;
  readonly #onFirst: () => void;
  readonly #signals = ['SIGINT', 'SIGTERM'] as const;
  readonly #handler = () => {
    const now = performance.now();
    if (this.#askedAt !== null) {
      if (now - this.#askedAt > SAME_MS) process.exit(EXIT.interrupted);
      return;
    }
    this.#askedAt = now;
    this.#onFirst();
  };

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
    for (const signal of this.#signals) process.on(signal, this.#handler);
  }

  readonly asked = (): boolean => this.#askedAt !== null;

  dispose(): void {
    for (const signal of this.#signals) process.off(signal, this.#handler);
  }
}
