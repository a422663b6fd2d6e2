import type { BlobStore } from '@whale/blob-store';
import { decodeRecord, type EventEnvelope, type TopicName } from '@whale/contracts';
import { LogError, type EventLog, type LogRecord, type Position } from '@whale/event-log';
import { describeError } from '@whale/kernel';

export interface TailOptions {
  log: EventLog;
  blobs: BlobStore;
  topics: readonly TopicName[];
  /** Decides by the headers alone, before anything is parsed. */
  wants?: (headers: Readonly<Record<string, string>>) => boolean;
  /** Told of a record that cannot be read; it is passed over. */
  onTrouble?: (message: string) => void;
}

/**
 * Reads topics from their beginning and on from where it stopped, without a consumer group: it leaves no trace on the
 * log. One `next` gives what was appended since the last, merged by the time of appending; an effect comes after its
 * cause, since the heads are taken at one moment.
 */
export class LogTail {
  readonly #options: TailOptions;
  readonly #at = new Map<string, number>();

  constructor(options: TailOptions) {
    this.#options = options;
  }

  async next(): Promise<EventEnvelope[]> {
    const records: LogRecord[] = [];
    for (const head of await this.#heads()) records.push(...(await this.#read(head)));
    records.sort((a, b) => a.timestamp - b.timestamp);
    const events: EventEnvelope[] = [];
    for (const record of records) {
      try {
        events.push(await decodeRecord(record, (ref) => this.#options.blobs.get(ref)));
      } catch (error) {
        const { topic, partition, offset } = record;
        this.#options.onTrouble?.(`${topic}/${partition}/${offset} cannot be read: ${describeError(error).message}`);
      }
    }
    return events;
  }

  async #read(head: Position): Promise<LogRecord[]> {
    const { log, wants } = this.#options;
    const place = `${head.topic}/${head.partition}`;
    const from = this.#at.get(place) ?? 0;
    if (head.offset <= from) return [];
    const records: LogRecord[] = [];
    for await (const record of log.read({ topic: head.topic, partition: head.partition, from, to: head.offset })) {
      if (wants?.(record.headers) ?? true) records.push(record);
    }
    this.#at.set(place, head.offset);
    return records;
  }

  /** Topics are made by the first service that starts; until then there is nothing to read. */
  async #heads(): Promise<Position[]> {
    try {
      return await this.#options.log.heads(this.#options.topics);
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_UNKNOWN_TOPIC') return [];
      throw error;
    }
  }
}
