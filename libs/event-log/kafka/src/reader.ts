import { setTimeout as sleep } from 'node:timers/promises';
import { LogError, type LogRecord, type ReadRange, type TopicPartition } from '@whale/event-log';
import { partitionKey, type FetchedPage, type KafkaCluster } from './cluster.ts';
import { typeOf } from './errors.ts';
import type { Names } from './names.ts';
import type { TopicCatalogue } from './topics.ts';
import { toRecord } from './wire.ts';

/** Of one fetch; the next one is under way while its records are handled. */
const PAGE_BYTES = 2 << 20;
const EMPTY_PAUSE_MS = 50;

interface Page {
  messages: FetchedPage['messages'];
  /** Offset of the next page. */
  next: number;
}

/** Reads ranges without a group: a small range costs two round trips. */
export class KafkaReader {
  readonly #cluster: KafkaCluster;
  readonly #topics: TopicCatalogue;
  readonly #names: Names;
  readonly #patienceMs: number;

  constructor(cluster: KafkaCluster, topics: TopicCatalogue, names: Names, patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.#cluster = cluster;
    this.#topics = topics;
    this.#names = names;
  }

  /** `check` throws where reading is not allowed any more. */
  read(range: ReadRange, check: () => void): AsyncIterable<LogRecord> {
    const end = this.#endOf(range, check);
    // Whoever never iterates never hears of the failure.
    end.catch(() => undefined);
    return this.#records(range, end);
  }

  async #endOf({ topic, partition, to }: ReadRange, check: () => void): Promise<number> {
    check();
    const partitions = await this.#topics.partitions(topic);
    if (!partitions.includes(partition)) {
      throw new LogError(
        'LOG_UNKNOWN_TOPIC',
        `topic ${topic} has partitions 0 to ${partitions.length - 1}, not ${partition}`,
      );
    }
    const at = this.#onBroker({ topic, partition });
    const head = (await this.#cluster.offsets([at], 'head')).get(partitionKey(at)) ?? 0;
    return Math.min(to ?? head, head);
  }

  async *#records({ topic, partition, from }: ReadRange, end: Promise<number>): AsyncGenerator<LogRecord> {
    const to = await end;
    if (from >= to) return;
    const at = this.#onBroker({ topic, partition });
    let coming = this.#page(at, from);
    for (let next = from; next < to;) {
      const page = await coming;
      next = page.next;
      if (next < to) {
        coming = this.#page(at, next);
        coming.catch(() => undefined);
      }
      for (const message of page.messages) {
        if (Number(message.offset) >= to) return;
        yield toRecord(topic, partition, message);
      }
    }
  }

  /**
   * The records from `offset` on, which lies below the head: something is there, or was and is deleted. A leader that
   * has just moved may answer with nothing.
   */
  async #page(at: TopicPartition, offset: number): Promise<Page> {
    const until = performance.now() + this.#patienceMs;
    do {
      const page = await this.#fetch(at, offset);
      if (page?.next !== undefined && page.next > offset) return { messages: page.messages, next: page.next };
      const low = (await this.#cluster.offsets([at], 'low')).get(partitionKey(at)) ?? offset;
      if (low > offset) return { messages: [], next: low };
      await sleep(EMPTY_PAUSE_MS);
    } while (performance.now() < until);
    throw new LogError(
      'LOG_UNAVAILABLE',
      `${partitionKey(at)}: the brokers have records from ${offset} on but do not give them`,
      { retryable: true },
    );
  }

  async #fetch(at: TopicPartition, offset: number): Promise<FetchedPage | undefined> {
    try {
      return await this.#cluster.fetch(at, offset, PAGE_BYTES);
    } catch (error) {
      if (typeOf(error) === 'OFFSET_OUT_OF_RANGE') return undefined;
      throw error;
    }
  }

  #onBroker({ topic, partition }: TopicPartition): TopicPartition {
    return { topic: this.#names.topicOnBroker(topic), partition };
  }
}
