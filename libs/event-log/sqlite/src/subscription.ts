import { randomUUID } from 'node:crypto';
import type {
  BackOff,
  RecordBatch,
  SubscribeOptions,
  Subscription,
  SubscriptionStatus,
  TopicPartition,
} from '@whale/event-log';
import { turn, type Clock } from '@whale/kernel';
import type { LogDatabase } from './database.ts';
import type { GroupMembership, LocalMember } from './group-membership.ts';
import type { Holding } from './lease-store.ts';
import { PartitionFeed } from './partition-feed.ts';
import type { Heads, RecordStore } from './record-store.ts';
import type { PartitionRef } from './topics.ts';
import { WakeUp } from './wake-up.ts';

const DEFAULT_BATCH_RECORDS = 256;
/** The loop looks around at least so often, so that a loop that stands still can be told from one without work. */
const LONGEST_REST_MS = 1_000;

export interface SubscriptionParts {
  database: LogDatabase;
  store: RecordStore;
  membership: GroupMembership;
  clock: Clock;
  backOff: BackOff;
  /** All partitions of the subscribed topics. */
  partitions: readonly PartitionRef[];
}

/** The pull loop of one member of a group: one batch after the other, the partitions in turn. */
export class SqliteSubscription implements Subscription, LocalMember {
  readonly id: string = randomUUID();
  readonly group: string;
  readonly topics: readonly string[];
  readonly #options: SubscribeOptions;
  readonly #parts: SubscriptionParts;
  readonly #maxRecords: number;
  readonly #wake = new WakeUp();
  readonly #heads = new Map<number, number>();
  /** In the order in which they are served; a served one goes to the end. */
  readonly #feeds = new Map<number, PartitionFeed>();
  readonly #endings = new Set<Promise<void>>();
  #aliveAt: number;
  #handlingSince: number | null = null;
  #holding: Holding = { leases: [], surrender: new Set() };
  #started: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: SubscribeOptions, parts: SubscriptionParts) {
    this.group = options.group;
    this.topics = [...new Set(options.topics)];
    this.#options = options;
    this.#parts = parts;
    this.#aliveAt = parts.clock.now();
    this.#maxRecords = Math.max(1, Math.floor(options.maxBatchRecords ?? DEFAULT_BATCH_RECORDS));
  }

  start(): Promise<void> {
    this.#started = this.#start();
    return this.#started;
  }

  async #start(): Promise<void> {
    this.onHeads(await this.#parts.database.retrying(() => this.#parts.store.allHeads()));
    await this.#parts.membership.join(this);
    this.#loop = this.#run();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  assigned(): readonly TopicPartition[] {
    return [...this.#feeds.values()].filter((feed) => feed.ending === undefined).map((feed) => feed.topicPartition);
  }

  status(): SubscriptionStatus {
    const held = [...this.#feeds.values()].filter((feed) => feed.ending === undefined);
    return {
      aliveAt: this.#aliveAt,
      handlingSince: this.#handlingSince,
      partitions: held.map((feed) => ({
        ...feed.topicPartition,
        nextOffset: feed.next,
        head: this.#heads.get(feed.partition.id) ?? 0,
      })),
    };
  }

  /** New heads of some partitions, of whatever topics. */
  onHeads(heads: Heads): void {
    for (const { id } of this.#parts.partitions) {
      const head = heads.get(id);
      if (head === undefined || head <= (this.#heads.get(id) ?? 0)) continue;
      this.#heads.set(id, head);
      this.#wake.signal();
    }
  }

  onHolding(holding: Holding): void {
    this.#holding = holding;
    if (this.#stopped === undefined) this.#reconcile();
  }

  /** Makes the feeds match what is held. A feed ends when no handler works on it, and only then begins anew. */
  #reconcile(): void {
    const tokens = new Map(this.#holding.leases.map((lease) => [lease.partitionId, lease.token]));
    for (const [id, feed] of this.#feeds) {
      const lost = tokens.get(id) !== feed.lease.token;
      if (lost || this.#holding.surrender.has(id)) this.#end(feed, { release: !lost });
    }
    for (const lease of this.#holding.leases) {
      const partition = this.#parts.partitions.find(({ id }) => id === lease.partitionId);
      if (partition === undefined || this.#feeds.has(lease.partitionId)) continue;
      if (!this.#holding.surrender.has(lease.partitionId)) {
        this.#feeds.set(lease.partitionId, new PartitionFeed(partition, lease, this.#parts.backOff));
      }
    }
    this.#wake.signal();
  }

  #end(feed: PartitionFeed, ending: { release: boolean }): void {
    const known = feed.ending !== undefined;
    feed.ending = ending;
    if (known || feed.busy) return;
    const done = this.#finish(feed).finally(() => this.#endings.delete(done));
    this.#endings.add(done);
  }

  async #finish(feed: PartitionFeed): Promise<void> {
    try {
      await this.#options.onRevoked?.(feed.topicPartition);
    } catch (error) {
      this.#report(error, feed);
    }
    if (feed.ending?.release === true) {
      // If it fails the lease runs out, or goes with the member.
      await this.#parts.membership.release(this, feed.lease).catch((error: unknown) => this.#report(error, feed));
    }
    this.#feeds.delete(feed.partition.id);
    if (this.#stopped === undefined) this.#parts.membership.refresh();
  }

  async #run(): Promise<void> {
    while (this.#stopped === undefined) {
      this.#aliveAt = this.#parts.clock.now();
      const now = performance.now();
      const waiting = [...this.#feeds.values()].filter((feed) => feed.hasWork(this.#heads.get(feed.partition.id) ?? 0));
      const ready = waiting.find((feed) => feed.dueInMs(now) === 0);
      if (ready !== undefined) {
        await this.#serve(ready);
        await turn();
      } else {
        const soonest = Math.min(...waiting.map((feed) => feed.dueInMs(now)));
        await this.#wake.wait(Math.min(soonest, LONGEST_REST_MS));
      }
    }
  }

  async #serve(feed: PartitionFeed): Promise<void> {
    const { id } = feed.partition;
    this.#feeds.delete(id);
    this.#feeds.set(id, feed);
    feed.busy = true;
    let delivered: RecordBatch | undefined;
    try {
      if (feed.next === undefined) {
        const checkpoint = await this.#options.checkpoint(feed.topicPartition);
        feed.begin(checkpoint, await this.#parts.database.retrying(() => this.#parts.store.head(id)));
      }
      delivered = feed.ending === undefined ? await this.#nextBatch(feed, feed.next as number) : undefined;
      if (delivered !== undefined) {
        this.#handlingSince = this.#parts.clock.now();
        await this.#options.onBatch(delivered);
        feed.succeeded(delivered.nextOffset);
      }
    } catch (error) {
      feed.failed(performance.now(), delivered?.records.length);
      this.#report(error, feed);
    } finally {
      this.#handlingSince = null;
      feed.busy = false;
      const { ending } = feed;
      feed.ending = undefined;
      if (ending !== undefined && this.#stopped === undefined) this.#end(feed, ending);
    }
  }

  /** The lease is looked up in the file just before the records are handed over: a lost one delivers nothing. */
  async #nextBatch(feed: PartitionFeed, from: number): Promise<RecordBatch | undefined> {
    const { database, membership, store } = this.#parts;
    const records = await database.retrying(() => {
      if (!membership.holds(this, feed.lease)) return undefined;
      return store.fetch(feed.partition, from, Number.MAX_SAFE_INTEGER, feed.limit(this.#maxRecords));
    });
    if (records === undefined) feed.ending = { release: false };
    const last = records?.at(-1);
    if (records === undefined || last === undefined) return undefined;
    return { ...feed.topicPartition, records, nextOffset: last.offset + 1 };
  }

  async #stop(): Promise<void> {
    this.#wake.signal();
    await this.#started?.catch(() => undefined);
    await this.#loop;
    await Promise.all(this.#endings);
    for (const feed of this.#feeds.values()) {
      feed.ending = { release: false };
      await this.#finish(feed);
    }
    // If it fails (a full disk) the others see this process end, or its leases run out.
    await this.#parts.membership.leave(this).catch(() => undefined);
  }

  #report(error: unknown, feed: PartitionFeed): void {
    try {
      this.#options.onError?.(error, feed.topicPartition);
    } catch {
      // A reporter that fails must not end the subscription.
    }
  }
}
