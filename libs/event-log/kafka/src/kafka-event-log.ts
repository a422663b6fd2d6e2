import type { Kafka } from 'kafkajs';
import {
  DEFAULT_BACK_OFF,
  LogError,
  type AppendRecord,
  type BackOff,
  type EventLog,
  type LogRecord,
  type Position,
  type ReadRange,
  type SubscribeOptions,
  type Subscription,
  type TopicDefinition,
} from '@whale/event-log';
import { systemClock, type Clock } from '@whale/kernel';
import { LazyAdmin } from './admin.ts';
import { kafkaClient, PATIENCE_MS, retries } from './client.ts';
import { KafkaCluster, partitionKey } from './cluster.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { Names } from './names.ts';
import { ProducerQueue } from './producer-queue.ts';
import { KafkaReader } from './reader.ts';
import type { KafkaSettings } from './settings.ts';
import { KafkaSubscription } from './subscription.ts';
import { TopicCatalogue } from './topics.ts';

export interface KafkaEventLogOptions {
  clock?: Clock;
  /** Told once when the brokers go away and once when they are back. Without it subscriptions tell their `onError`. */
  onTrouble?: (message: string) => void;
  /** How long a call goes on trying while brokers are away, before it rejects with `LOG_UNAVAILABLE`, ms. */
  patienceMs?: number;
  /** After so long without an answer a broker that is still connected is taken for one that is away, ms. */
  requestTimeoutMs?: number;
  /** Pauses of a partition after failed deliveries. */
  backOff?: BackOff;
}

/**
 * The log on Apache Kafka, by kafkajs.
 *
 * Invariants, on top of L1 to L6 of the port; each is named by a test:
 * K1 What lies on a topic, whoever wrote it, is handed on as text; nothing that lies there ends a consumer.
 * K2 A call ends within `patienceMs` or little more, however long the brokers are away; subscriptions wait for them.
 * K3 A record is handed over only by a member whose place in the group was confirmed within the heartbeat interval.
 * K4 Nothing is printed; brokers that go and come back are told once each.
 * K5 The service's checkpoint alone says where a partition begins; offsets committed to Kafka are for lag tools.
 * K6 Of several brokers one may be away, also the first of the list; so may the leader of a topic of somebody else.
 */
export class KafkaEventLog implements EventLog {
  readonly #settings: KafkaSettings;
  readonly #clock: Clock;
  readonly #backOff: BackOff;
  readonly #kafka: Kafka;
  readonly #names: Names;
  readonly #watch: ConnectionWatch;
  readonly #cluster: KafkaCluster;
  readonly #admin: LazyAdmin;
  readonly #topics: TopicCatalogue;
  readonly #reader: KafkaReader;
  readonly #queue: ProducerQueue;
  readonly #subscriptions = new Set<KafkaSubscription>();
  #closing: Promise<void> | undefined;

  private constructor(settings: KafkaSettings, options: KafkaEventLogOptions) {
    const { clock = systemClock, onTrouble, patienceMs = PATIENCE_MS, requestTimeoutMs } = options;
    this.#settings = settings;
    this.#clock = clock;
    this.#backOff = options.backOff ?? DEFAULT_BACK_OFF;
    this.#kafka = kafkaClient(settings, retries(4), requestTimeoutMs);
    this.#names = new Names(settings);
    this.#watch = new ConnectionWatch(settings.brokers.join(','), onTrouble ?? ((message) => this.#tellAll(message)));
    this.#cluster = new KafkaCluster(settings, this.#watch, patienceMs, requestTimeoutMs);
    this.#admin = new LazyAdmin(this.#kafka);
    this.#topics = new TopicCatalogue({
      cluster: this.#cluster,
      names: this.#names,
      admin: () => this.#admin.get(),
      replicationFactor: settings.replicationFactor,
    });
    this.#reader = new KafkaReader(this.#cluster, this.#topics, this.#names, patienceMs);
    this.#queue = new ProducerQueue({
      kafka: this.#kafka,
      names: this.#names,
      topics: this.#topics,
      watch: this.#watch,
      compression: settings.compression,
      patienceMs,
    });
  }

  /** Rejects with `LogError` when no broker answers (`LOG_UNAVAILABLE`) or this user is refused (`LOG_UNAUTHORIZED`). */
  static async open(settings: KafkaSettings, options: KafkaEventLogOptions = {}): Promise<KafkaEventLog> {
    const log = new KafkaEventLog(settings, options);
    try {
      await log.#cluster.connected();
      return log;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async append(records: readonly AppendRecord[]): Promise<void> {
    this.#assertOpen();
    if (records.length > 0) await this.#queue.add(records);
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    this.#assertOpen();
    for (const topic of new Set(options.topics)) await this.#topics.partitions(topic);
    // Nothing is awaited between this and `start`, so that `close` sees the subscription or the subscription sees `close`.
    this.#assertOpen();
    const subscription = new KafkaSubscription(options, {
      kafka: this.#kafka,
      settings: this.#settings,
      names: this.#names,
      cluster: this.#cluster,
      watch: this.#watch,
      clock: this.#clock,
      backOff: this.#backOff,
    });
    this.#subscriptions.add(subscription);
    subscription.start();
    return {
      assigned: () => subscription.assigned(),
      status: () => subscription.status(),
      stop: async () => {
        await subscription.stop();
        this.#subscriptions.delete(subscription);
      },
    };
  }

  read(range: ReadRange): AsyncIterable<LogRecord> {
    return this.#reader.read(range, () => this.#assertOpen());
  }

  async heads(topics: readonly string[]): Promise<Position[]> {
    this.#assertOpen();
    const partitions: { topic: string; partition: number }[] = [];
    for (const topic of topics) {
      for (const partition of await this.#topics.partitions(topic)) partitions.push({ topic, partition });
    }
    const onBroker = partitions.map(({ topic, partition }) => ({ topic: this.#names.topicOnBroker(topic), partition }));
    const heads = await this.#cluster.offsets(onBroker, 'head');
    return partitions.map((at, index) => ({
      ...at,
      offset: heads.get(partitionKey(onBroker[index] as { topic: string; partition: number })) ?? 0,
    }));
  }

  async ensureTopics(topics: readonly TopicDefinition[]): Promise<void> {
    this.#assertOpen();
    await this.#topics.ensure(topics);
  }

  /** Stops all subscriptions, finishes the appends under way, leaves the brokers. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.stop()));
    await this.#queue.close();
    await Promise.all([this.#admin.close(), this.#cluster.close()]);
  }

  #tellAll(message: string): void {
    for (const subscription of this.#subscriptions) subscription.tell(message);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) {
      throw new LogError('LOG_CLOSED', `event log on Kafka at ${this.#settings.brokers.join(',')} is closed`);
    }
  }
}
