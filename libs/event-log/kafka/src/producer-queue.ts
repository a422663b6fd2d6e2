import { setTimeout as sleep } from 'node:timers/promises';
import { CompressionTypes, type Kafka, type Producer, type TopicMessages } from 'kafkajs';
import { LogError, partitionForKey, type AppendRecord } from '@whale/event-log';
import { retries } from './client.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { toLogError, typeOf } from './errors.ts';
import { connectedProducer } from './kafkajs-internals.ts';
import type { Names } from './names.ts';
import type { TopicCatalogue } from './topics.ts';
import { bytesOf, cut, toMessage } from './wire.ts';

/**
 * Bytes of the records of one request, before compression, unless a single record has more. Below the 1 MB that a
 * broker takes as one batch by default, so that only a record that is itself too large is refused.
 */
const REQUEST_BYTES = 768 * 1024;
const SERVER_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const DISCONNECT_MS = 2_000;
const ALL_IN_SYNC_REPLICAS = -1;
/** The broker no longer knows this producer, or not what it has written: another one goes on. */
const PRODUCER_LOST = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'PRODUCER_FENCED',
]);

export interface ProducerParts {
  kafka: Kafka;
  names: Names;
  topics: TopicCatalogue;
  watch: ConnectionWatch;
  compression: 'none' | 'gzip';
  /** How long an append is tried while brokers are away, ms. */
  patienceMs: number;
}

interface Call {
  records: readonly AppendRecord[];
  bytes: number;
  /** `performance.now()` after which it is rejected. */
  until: number;
  settled: boolean;
  resolve: () => void;
  reject: (error: LogError) => void;
}

/**
 * Appends in the order of the calls, one request at a time. Calls that wait at the same time share a request; the
 * failure of one is not the failure of the others.
 *
 * The producer is idempotent: what it tries again it does not double. That holds only while it is the same request that
 * is tried: after giving one up, the broker would take the next request for the old one and drop it. So a producer whose
 * request was given up is never used again.
 */
export class ProducerQueue {
  readonly #parts: ProducerParts;
  readonly #unsettled = new Set<Promise<unknown>>();
  #waiting: Call[] = [];
  #running: Promise<void> | undefined;
  #producer: Producer | undefined;

  constructor(parts: ProducerParts) {
    this.#parts = parts;
  }

  add(records: readonly AppendRecord[]): Promise<void> {
    const { patienceMs } = this.#parts;
    const added = new Promise<void>((resolve, reject) => {
      const call: Call = {
        records,
        bytes: records.reduce((sum, record) => sum + bytesOf(record), 0),
        until: performance.now() + patienceMs,
        settled: false,
        resolve: () => settle(resolve),
        reject: (error) => settle(() => reject(error)),
      };
      const timer = setTimeout(() => call.reject(this.#tooLong()), patienceMs);
      const settle = (tell: () => void) => {
        clearTimeout(timer);
        call.settled = true;
        tell();
      };
      this.#waiting.push(call);
      this.#running ??= this.#run();
    });
    const settled: Promise<boolean> = added.then(
      () => this.#unsettled.delete(settled),
      () => this.#unsettled.delete(settled),
    );
    this.#unsettled.add(settled);
    return added;
  }

  /** Finishes what was added, or gives it up when its time is over. */
  async close(): Promise<void> {
    await Promise.all(this.#unsettled);
    // A request that nobody waits for any more may hang for longer.
    if (this.#running !== undefined) await within(this.#running);
    await this.#retire(this.#producer);
  }

  async #run(): Promise<void> {
    // Lets the calls of this turn come together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const calls = await this.#valid(this.#take());
      if (calls.length === 0) continue;
      const error = await this.#write(calls);
      if (error === undefined) for (const call of calls) call.resolve();
      else if (error.retryable || calls.length === 1) for (const call of calls) call.reject(error);
      else await this.#writeApart(calls);
    }
    this.#running = undefined;
  }

  #take(): Call[] {
    let bytes = 0;
    let count = 0;
    for (const call of this.#waiting) {
      bytes += call.bytes;
      if (count > 0 && bytes > REQUEST_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Rejects the calls with an unknown topic before anything is written. */
  async #valid(calls: readonly Call[]): Promise<Call[]> {
    for (const call of calls) {
      try {
        for (const topic of new Set(call.records.map((record) => record.topic)))
          await this.#parts.topics.partitions(topic);
      } catch (error) {
        call.reject(toLogError(error, 'append'));
      }
    }
    return calls.filter(({ settled }) => !settled);
  }

  /** Only the call that cannot be written is rejected. */
  async #writeApart(calls: readonly Call[]): Promise<void> {
    for (const call of calls) {
      const error = await this.#write([call]);
      if (error === undefined) call.resolve();
      else call.reject(error);
    }
  }

  async #write(calls: readonly Call[]): Promise<LogError | undefined> {
    const pieces = [
      ...cut(
        calls.flatMap((call) => call.records),
        REQUEST_BYTES,
      ),
    ];
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      const error = await this.#send(calls, piece);
      if (error === undefined) continue;
      // A topic may take less than other topics do: only a record that is alone is too large.
      if (error.code !== 'LOG_RECORD_TOO_LARGE' || piece.length === 1 || calls.length > 1) return error;
      const half = Math.ceil(piece.length / 2);
      pieces.unshift(piece.slice(0, half), piece.slice(half));
    }
    return undefined;
  }

  /** Tries until it is written, cannot be, or nobody waits for it any more. */
  async #send(calls: readonly Call[], records: readonly AppendRecord[]): Promise<LogError | undefined> {
    const { watch, compression } = this.#parts;
    const topicMessages = this.#messages(records);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      let producer = this.#producer;
      try {
        producer ??= this.#producer = await this.#connect(topicMessages.map(({ topic }) => topic));
        await producer.sendBatch({
          acks: ALL_IN_SYNC_REPLICAS,
          timeout: SERVER_TIMEOUT_MS,
          compression: compression === 'gzip' ? CompressionTypes.GZIP : CompressionTypes.None,
          topicMessages,
        });
        watch.answered();
        return undefined;
      } catch (cause) {
        const error = toLogError(cause, `append to ${topicMessages.map(({ topic }) => topic).join(', ')}`);
        const lost = PRODUCER_LOST.has(typeOf(cause) ?? '');
        if (error.retryable) watch.failed(error);
        const wanted = calls.some((call) => !call.settled && performance.now() + pause < call.until);
        // The topic was found before: its leader has not heard of it yet.
        const again = wanted && (error.retryable || lost || error.code === 'LOG_UNKNOWN_TOPIC');
        if (lost || !again) await this.#retire(producer);
        if (!again) return error;
        await sleep(pause);
      }
    }
  }

  #messages(records: readonly AppendRecord[]): TopicMessages[] {
    const byTopic = new Map<string, TopicMessages>();
    for (const record of records) {
      const topic = this.#parts.names.topicOnBroker(record.topic);
      let of = byTopic.get(topic);
      if (of === undefined) byTopic.set(topic, (of = { topic, messages: [] }));
      of.messages.push(toMessage(record));
    }
    return [...byTopic.values()];
  }

  /** `topics`: names on the broker. */
  #connect(topics: readonly string[]): Promise<Producer> {
    return connectedProducer(
      this.#parts.kafka,
      {
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        retry: retries(1),
        createPartitioner:
          () =>
          ({ partitionMetadata, message }) =>
            partitionForKey(message.key?.toString() ?? '', partitionMetadata.length),
      },
      topics,
    );
  }

  async #retire(producer: Producer | undefined): Promise<void> {
    if (this.#producer === producer) this.#producer = undefined;
    if (producer !== undefined) await within(producer.disconnect());
  }

  #tooLong(): LogError {
    return new LogError(
      'LOG_UNAVAILABLE',
      `append: Kafka has not answered for ${this.#parts.patienceMs} ms; it may have been written or not`,
      { retryable: true },
    );
  }
}

/** Waits for the end of a farewell, but not for long: the other side may be gone. */
async function within(farewell: Promise<void>): Promise<void> {
  await Promise.race([farewell.catch(() => undefined), sleep(DISCONNECT_MS, undefined, { ref: false })]);
}
