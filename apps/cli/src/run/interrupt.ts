import { EXIT } from '../errors.ts';

/** Ctrl-C and SIGTERM: the first asks to stop, the second stops at once. */
export class Interrupt {
  #asked = false;
  readonly #onFirst: () => void;
  readonly #signals = ['SIGINT', 'SIGTERM'] as const;
  readonly #handler = () => {
    if (this.#asked) process.exit(EXIT.interrupted);
    this.#asked = true;
    this.#onFirst();
  };

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
    for (const signal of this.#signals) process.on(signal, this.#handler);
  }

  readonly asked = (): boolean => this.#asked;

  dispose(): void {
    for (const signal of this.#signals) process.off(signal, this.#handler);
  }
}
