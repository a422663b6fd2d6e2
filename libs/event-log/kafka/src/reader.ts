import { LogError, type LogRecord, type ReadRange, type TopicPartition } from '@whale/event-log';
import { partitionKey, type FetchedPage, type KafkaCluster } from './cluster.ts';
import { typeOf } from './errors.ts';
import type { Names } from './names.ts';
import type { TopicCatalogue } from './topics.ts';
import { toRecord } from './wire.ts';

/** Of one fetch; the next one is under way while its records are handled. */
const PAGE_BYTES = 2 << 20;

/** Reads ranges without a group: a small range costs two round trips. */
export class KafkaReader {
  readonly #cluster: KafkaCluster;
  readonly #topics: TopicCatalogue;
  readonly #names: Names;

  constructor(cluster: KafkaCluster, topics: TopicCatalogue, names: Names) {
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
      // Nothing is left before the head: what lay there was deleted.
      if (page.next === undefined || page.next <= next) return;
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

  /** What was deleted by retention is passed over. */
  async #page(at: TopicPartition, offset: number): Promise<FetchedPage> {
    try {
      return await this.#cluster.fetch(at, offset, PAGE_BYTES);
    } catch (error) {
      if (typeOf(error) !== 'OFFSET_OUT_OF_RANGE') throw error;
      const low = (await this.#cluster.offsets([at], 'low')).get(partitionKey(at)) ?? offset;
      return low > offset ? this.#cluster.fetch(at, low, PAGE_BYTES) : { messages: [], next: undefined };
    }
  }

  #onBroker({ topic, partition }: TopicPartition): TopicPartition {
    return { topic: this.#names.topicOnBroker(topic), partition };
  }
}
