import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer } from 'kafkajs';
import type { Holding } from './assigner.ts';

const COMMIT_EVERY_MS = 1_000;
const MOST_MS_AT_THE_END = 1_000;

/**
 * Tells Kafka how far the group has come, for lag tools only: nobody begins there. So it is told once in a while, and
 * what cannot be told is made up for by the next time.
 */
export class CommittedOffsets {
  readonly #consumer: Consumer;
  readonly #pending = new Map<string, { topic: string; partition: number; offset: string }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(consumer: Consumer) {
    this.#consumer = consumer;
  }

  note(topic: string, partition: number, nextOffset: number): void {
    this.#pending.set(`${topic}/${partition}`, { topic, partition, offset: String(nextOffset) });
    this.#timer ??= setTimeout(() => void this.#commit(), COMMIT_EVERY_MS);
  }

  /** Of what is no longer held its new member tells. */
  keepOnly(held: Holding): void {
    for (const [key, { topic, partition }] of this.#pending) {
      if (!held[topic]?.includes(partition)) this.#pending.delete(key);
    }
  }

  /** Tells what is left, if it is taken at once. */
  async close(): Promise<void> {
    await Promise.race([this.#commit(), sleep(MOST_MS_AT_THE_END, undefined, { ref: false })]);
  }

  async #commit(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const offsets = [...this.#pending.values()];
    this.#pending.clear();
    if (offsets.length === 0) return;
    try {
      await this.#consumer.commitOffsets(offsets);
    } catch {
      // The group is changing, or the broker is away: the next batch tells more.
    }
  }
}
