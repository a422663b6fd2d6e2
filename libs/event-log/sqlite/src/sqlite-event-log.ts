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
import { systemClock, turn, type Clock } from '@whale/kernel';
import { AppendQueue } from './append-queue.ts';
import { LogDatabase } from './database.ts';
import { GroupMembership } from './group-membership.ts';
import { announceAppended, listen } from './notifier.ts';
import { RecordStore } from './record-store.ts';
import { SqliteSubscription } from './subscription.ts';
import { TopicCatalogue, type PartitionRef } from './topics.ts';

export interface SqliteEventLogOptions {
  /** The file. Made when missing, with its folder. */
  path: string;
  clock?: Clock;
  /**
   * For who only reads: a file that cannot be written, or whose folder cannot, is read as it lies; a write rejects with
   * `LOG_READONLY`.
   */
  onlyReads?: boolean;
  /** Quota of the file in bytes; beyond it appends reject with `LOG_FULL`. Unlimited by default. */
  maxBytes?: number;
  /** A member of a group that gives no sign of life for so many ms loses its partitions. */
  leaseTtlMs?: number;
  /** Ms that an operation goes on trying while another process writes, before it rejects with `LOG_BUSY`. */
  busyTimeoutMs?: number;
  /** Pauses of a partition after failed deliveries. */
  backOff?: BackOff;
}

/** How often the file is asked whether another process has written, ms. */
const POLL_MS = 50;
const PAGE_RECORDS = 256;

/**
 * The log in one SQLite file: the embedded default. Any number of processes of one machine (the write-ahead log needs
 * shared memory) may have it open at the same time.
 *
 * An append is one transaction that takes offsets from `partitions.next_offset` and flushes to the disk before it
 * returns. A subscription pulls: it is woken by appends of its own process at once, by those of others through a poll
 * of `data_version`, and reads bounded batches. Consumer groups are rows of the same file, see `group-membership.ts`.
 * The library is synchronous, so whatever could take long is cut in pieces that leave the event loop between them.
 *
 * Invariants, on top of L1 to L6 of the port; each is named by a test:
 * S1 A key falls into the partition that Kafka's default partitioner gives it (`partitionForKey` of the port).
 * S2 A call of `append` is one transaction or a part of one: after a crash at any moment it is whole or absent.
 * S3 Offsets of a partition are dense, start at 0 and are never given twice.
 * S4 A failure leaves the log as it was and usable; every failure is a `LogError` that names the file and a remedy.
 * S5 A change of a partition's owner is one transaction, and raises its fencing token.
 * S6 A batch is handed over only when the lease stands in the file at that moment with this member's token.
 * S7 A member is thrown out only if its process is certainly gone or it was silent for a whole TTL.
 */
export class SqliteEventLog implements EventLog {
  readonly #database: LogDatabase;
  readonly #topics: TopicCatalogue;
  readonly #store: RecordStore;
  readonly #queue: AppendQueue;
  readonly #membership: GroupMembership;
  readonly #clock: Clock;
  readonly #backOff: BackOff;
  readonly #subscriptions = new Set<SqliteSubscription>();
  readonly #unlisten: () => void;
  #poll: NodeJS.Timeout | undefined;
  #dataVersion: number | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    database: LogDatabase,
    options: Required<Pick<SqliteEventLogOptions, 'clock' | 'leaseTtlMs' | 'backOff'>>,
  ) {
    this.#database = database;
    this.#clock = options.clock;
    this.#backOff = options.backOff;
    this.#topics = new TopicCatalogue(database);
    this.#store = new RecordStore(database, this.#topics, options.clock);
    this.#queue = new AppendQueue(database, this.#store, (heads) => announceAppended(database.realPath, heads));
    this.#membership = new GroupMembership(database, options.leaseTtlMs);
    this.#unlisten = listen(database.realPath, {
      onAppended: (heads) => this.#subscriptions.forEach((subscription) => subscription.onHeads(heads)),
      onGroupsChanged: () => this.#membership.refresh(),
    });
  }

  /** Creates the file and its folder when missing. Rejects with `LogError` when the file cannot be used. */
  static async open(options: SqliteEventLogOptions): Promise<SqliteEventLog> {
    const { path, maxBytes, onlyReads, clock = systemClock, leaseTtlMs = 5_000, busyTimeoutMs = 10_000 } = options;
    const { backOff = DEFAULT_BACK_OFF } = options;
    return new SqliteEventLog(await LogDatabase.open({ path, busyTimeoutMs, maxBytes, onlyReads }), {
      clock,
      leaseTtlMs,
      backOff,
    });
  }

  async append(records: readonly AppendRecord[]): Promise<void> {
    this.#assertOpen();
    if (records.length > 0) await this.#queue.add(records);
  }

  async subscribe(options: SubscribeOptions): Promise<Subscription> {
    this.#assertOpen();
    const database = this.#database;
    const partitions = await database.retrying(() => options.topics.flatMap((topic) => this.#topics.partitions(topic)));
    // Nothing is awaited between this and `start`, so that `close` sees the subscription or the subscription sees `close`.
    this.#assertOpen();
    const subscription = new SqliteSubscription(options, {
      database,
      store: this.#store,
      membership: this.#membership,
      clock: this.#clock,
      backOff: this.#backOff,
      partitions,
    });
    this.#subscriptions.add(subscription);
    try {
      await subscription.start();
    } catch (error) {
      this.#subscriptions.delete(subscription);
      throw error;
    }
    if (this.#closing !== undefined) await subscription.stop();
    this.#assertOpen();
    this.#poll ??= setInterval(() => this.#lookForChanges(), POLL_MS);
    return {
      assigned: () => subscription.assigned(),
      status: () => subscription.status(),
      stop: async () => {
        await subscription.stop();
        this.#subscriptions.delete(subscription);
        if (this.#subscriptions.size === 0) this.#stopPolling();
      },
    };
  }

  read(range: ReadRange): AsyncIterable<LogRecord> {
    const bounds = this.#database.retrying(() => {
      const partition = this.#topics.partition(range);
      return { partition, to: range.to ?? this.#store.head(partition.id) };
    });
    // Whoever never iterates never hears of the failure.
    bounds.catch(() => undefined);
    return this.#pages(range.from, bounds);
  }

  async heads(topics: readonly string[]): Promise<Position[]> {
    return this.#database.retrying(() => this.#store.positions(topics));
  }

  async ensureTopics(topics: readonly TopicDefinition[]): Promise<void> {
    await this.#database.retrying(() => this.#topics.ensure(topics));
  }

  /** Stops all subscriptions, finishes the appends under way, closes the file. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.stop()));
    this.#stopPolling();
    await this.#queue.drained();
    this.#unlisten();
    this.#database.close();
  }

  async *#pages(from: number, bounds: Promise<{ partition: PartitionRef; to: number }>): AsyncGenerator<LogRecord> {
    const { partition, to } = await bounds;
    for (let next = from; next < to;) {
      const page = await this.#database.retrying(() => this.#store.fetch(partition, next, to, PAGE_RECORDS));
      const last = page.at(-1);
      if (last === undefined) return;
      yield* page;
      next = last.offset + 1;
      await turn();
    }
  }

  /** Costs a few µs when nobody else has written. What fails here is found by the next delivery, and told there. */
  #lookForChanges(): void {
    try {
      const version = this.#database.row<{ data_version: number }>('PRAGMA data_version')?.data_version;
      if (version === this.#dataVersion) return;
      this.#dataVersion = version;
      const heads = this.#store.allHeads();
      for (const subscription of this.#subscriptions) subscription.onHeads(heads);
      this.#membership.onFileChanged();
    } catch {
      this.#dataVersion = undefined;
    }
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new LogError('LOG_CLOSED', `event log ${this.#database.realPath} is closed`);
  }
}
