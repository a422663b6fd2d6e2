import type { EventLog } from '@whale/event-log';
import { describeError, type Clock } from '@whale/kernel';
import type { ServiceStore } from '../store/service-store.ts';
import type { Tell } from '../telemetry/service-telemetry.ts';

const BATCH = 100;
const LONGEST_WAIT_MS = 5_000;

/**
 * Publishes the outbox in order. A crash between append and forget publishes records again under the same event ids;
 * consumers' inboxes drop them.
 */
export class OutboxRelay {
  readonly #store: ServiceStore;
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #onTrouble: Tell;
  #publishingSince: number | null = null;
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #wake: (() => void) | null = null;

  constructor(store: ServiceStore, log: EventLog, clock: Clock, onTrouble: Tell) {
    this.#store = store;
    this.#log = log;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  /**
   * Since when the present attempt to publish runs, ms since epoch; null when none does. An attempt that fails and is made
   * again is not one that hangs.
   */
  get publishingSince(): number | null {
    return this.#publishingSince;
  }

  /** Says that the outbox may hold something. */
  poke(): void {
    this.#again = true;
    if (this.#running || this.#stopped) return;
    this.#running = this.#drain().finally(() => {
      this.#running = null;
      if (this.#again && !this.#stopped) this.poke();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
  }

  async #drain(): Promise<void> {
    let wait = 100;
    while (this.#again) {
      this.#again = false;
      try {
        for (;;) {
          this.#publishingSince = this.#clock.now();
          const records = await this.#store.outbox(BATCH);
          if (records.length === 0) break;
          await this.#log.append(records);
          await this.#store.outboxSent(records.map(({ sequence }) => sequence));
        }
        this.#publishingSince = null;
        wait = 100;
      } catch (error) {
        this.#publishingSince = null;
        if (this.#stopped) return;
        const { code, message } = describeError(error);
        this.#onTrouble(`publishing waits: ${message}`, { code });
        await this.#sleep(wait);
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
        this.#again = !this.#stopped;
      }
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
