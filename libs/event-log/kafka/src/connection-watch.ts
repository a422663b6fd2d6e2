import type { LogError } from '@whale/event-log';

/** Trouble that is over sooner is not worth a line: a leader or a coordinator that moves. */
const GRACE_MS = 2_000;

/**
 * Whether the brokers answer, told once for each change: all parts of one log share it, so that a broker that goes
 * away is one line and not one for each producer and subscription, and for each of their tries.
 */
export class ConnectionWatch {
  readonly #where: string;
  readonly #tell: (message: string) => void;
  #since: number | undefined;
  #told = false;

  /** `where`: the brokers, for people. */
  constructor(where: string, tell: (message: string) => void) {
    this.#where = where;
    this.#tell = tell;
  }

  /** A try failed for a reason that may go away by itself. */
  failed(error: LogError): void {
    const now = performance.now();
    this.#since ??= now;
    if (this.#told || now - this.#since < GRACE_MS) return;
    this.#told = true;
    this.#tell(`Kafka at ${this.#where} does not answer (${error.message}); trying again until it does`);
  }

  /** A request was answered. */
  answered(): void {
    if (this.#since === undefined) return;
    const seconds = Math.round((performance.now() - this.#since) / 1000);
    this.#since = undefined;
    if (!this.#told) return;
    this.#told = false;
    this.#tell(`Kafka at ${this.#where} answers again, after ${seconds} s`);
  }
}
