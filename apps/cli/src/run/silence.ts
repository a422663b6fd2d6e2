import { elapsed } from '../print/text.ts';

const FIRST_MS = 2 * 60_000;

/** Says that nothing has come for long: after 2 minutes, then each time it has become twice as long. Times in ms. */
export class Silence {
  #since: number;
  #next = FIRST_MS;

  constructor(now: number) {
    this.#since = now;
  }

  heard(now: number): void {
    this.#since = now;
    this.#next = FIRST_MS;
  }

  due(now: number): string | null {
    const lasts = now - this.#since;
    if (lasts < this.#next) return null;
    this.#next *= 2;
    return `no event for ${elapsed(lasts / 1000)}; \`whale doctor\` says what does not answer, \`whale dlq ls\` what could not be handled`;
  }
}
