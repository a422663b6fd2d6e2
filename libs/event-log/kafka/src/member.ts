import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Batch,
  Consumer,
  ConsumerGroupJoinEvent,
  ConsumerStartBatchProcessEvent,
  EachBatchPayload,
  KafkaMessage,
} from 'kafkajs';
import type { PartitionStatus, SubscribeOptions, TopicPartition } from '@whale/event-log';
import { turn } from '@whale/kernel';
import { stickyAssigner } from './assigner.ts';
import { retries } from './client.ts';
import { CommittedOffsets } from './committed-offsets.ts';
import { isMembershipOver } from './errors.ts';
import { HeldPartitions } from './held-partitions.ts';
import type { PartitionState } from './partition-state.ts';
import { SleepWatch } from './sleep-watch.ts';
import type { SubscriptionParts } from './subscription.ts';
import { toRecord } from './wire.ts';

const DEFAULT_BATCH_RECORDS = 256;
const BEATS_PER_SESSION = 10;
/** How long a fetch waits for records: also how late a paused partition may be taken up again. */
const FETCH_WAIT_MS = 250;
/** How long the others wait for a member whose handler is at work when the group changes. */
const REBALANCE_TIMEOUT_MS = 60_000;
/** Of kafkajs for each of its steps, so that a broker that is restarted does not cost the place in the group. */
const MOST_RETRIES = 8;
const MOST_MS_TO_JOIN = 3_000;
const MOST_MS_TO_LEAVE = 5_000;

export interface MemberHooks {
  /** A poll or a batch has ended. */
  onAlive: () => void;
  onHandling: (handling: boolean) => void;
  report: (error: unknown, at: TopicPartition) => void;
}

/**
 * One consumer of kafkajs, from its joining the group to its end: by `leave`, or by a failure that kafkajs gives up on
 * (`ended`). It never comes back; the subscription makes another one.
 */
export class Member {
  /** Resolves with the failure that ended it. */
  readonly ended: Promise<unknown>;
  readonly #options: SubscribeOptions;
  readonly #parts: SubscriptionParts;
  readonly #hooks: MemberHooks;
  readonly #maxRecords: number;
  readonly #beatMs: number;
  readonly #sleepWatch: SleepWatch;
  readonly #consumer: Consumer;
  readonly #committed: CommittedOffsets;
  readonly #held: HeldPartitions;
  #running: Promise<void> | undefined;
  #leaving = false;
  /** Its name in the group, and how often it has asked for a place since it last got one. */
  #memberId: string | undefined;
  #joinings = 0;
  /** Why the membership is over, from when it is noticed until the member has joined again. */
  #over: unknown;
  #end: (error: unknown) => void = () => undefined;

  constructor(options: SubscribeOptions, parts: SubscriptionParts, hooks: MemberHooks) {
    this.#options = options;
    this.#parts = parts;
    this.#hooks = hooks;
    this.#maxRecords = Math.max(1, Math.floor(options.maxBatchRecords ?? DEFAULT_BATCH_RECORDS));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#beatMs = Math.floor(parts.settings.sessionTimeoutMs / BEATS_PER_SESSION);
    this.#sleepWatch = new SleepWatch(this.#beatMs, parts.settings.sessionTimeoutMs / 2, 2 * this.#beatMs);
    this.#consumer = this.#newConsumer();
    this.#committed = new CommittedOffsets(this.#consumer);
    this.#held = new HeldPartitions(options, parts, this.#consumer, (error, at) => hooks.report(error, at));
  }

  join(): void {
    this.#running = this.#run();
  }

  /** Its name in the group; undefined before it has joined. */
  get id(): string | undefined {
    return this.#memberId;
  }

  assigned(): PartitionStatus[] {
    return this.#held.status();
  }

  /** Waits for the handler, revokes all, leaves the group. Never rejects. */
  async leave(): Promise<void> {
    this.#leaving = true;
    this.#sleepWatch.end();
    await this.#held.close();
    // A member that leaves while it joins would be waited for by the others until its session ends.
    await Promise.race([this.#running, this.ended, sleep(MOST_MS_TO_JOIN, undefined, { ref: false })]);
    await this.#committed.close();
    await Promise.race([
      this.#consumer.disconnect().catch(() => undefined),
      sleep(MOST_MS_TO_LEAVE, undefined, { ref: false }),
    ]);
  }

  #newConsumer(): Consumer {
    const { kafka, names, settings, watch } = this.#parts;
    const { sessionTimeoutMs } = settings;
    const consumer = kafka.consumer({
      groupId: names.groupOnBroker(this.#options.group),
      partitionAssigners: [stickyAssigner(() => this.#claim())],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: Math.max(REBALANCE_TIMEOUT_MS, sessionTimeoutMs),
      heartbeatInterval: this.#beatMs,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { ...retries(MOST_RETRIES), restartOnFailure: async () => false },
    });
    const { GROUP_JOIN, FETCH, CRASH, HEARTBEAT, START_BATCH_PROCESS } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => this.#onJoined(payload));
    consumer.on(FETCH, () => this.#hooks.onAlive());
    consumer.on(HEARTBEAT, () => watch.answered());
    consumer.on(START_BATCH_PROCESS, ({ payload }) => this.#onNothing(payload));
    consumer.on(CRASH, ({ payload }) => this.#end(payload.error));
    return consumer;
  }

  async #run(): Promise<void> {
    try {
      await this.#consumer.connect();
      const topics = [...new Set(this.#options.topics)].map((topic) => this.#parts.names.topicOnBroker(topic));
      await this.#consumer.subscribe({ topics, fromBeginning: true });
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 1,
        eachBatch: (payload) => this.#onFetched(payload),
      });
    } catch (error) {
      this.#end(error);
    }
  }

  /** What it would like to keep, each time it asks for a place. After a failed try others may hold that already. */
  #claim(): ReturnType<HeldPartitions['holding']> {
    this.#joinings++;
    return this.#joinings === 1 ? this.#held.holding() : {};
  }

  /** Called by kafkajs before it fetches anything under the new assignment, with offsets of Kafka that do not count. */
  #onJoined({ memberId, memberAssignment }: ConsumerGroupJoinEvent['payload']): void {
    const unbroken = memberId === this.#memberId && this.#joinings === 1;
    this.#memberId = memberId;
    this.#joinings = 0;
    this.#over = undefined;
    this.#parts.watch.answered();
    this.#hooks.onAlive();
    this.#committed.keepOnly(memberAssignment);
    if (!this.#leaving) this.#held.assign(memberAssignment, { unbroken });
  }

  async #onFetched(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const state = this.#held.find(topic, partition);
    if (state === undefined || this.#leaving) return;
    try {
      await state.work(() => this.#deliver(state, payload));
    } finally {
      this.#hooks.onAlive();
    }
  }

  async #deliver(state: PartitionState, payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    if (!(await state.begun) || state.next === undefined || payload.isStale()) return;
    // Kafka was asked for what lies beyond: it has deleted what comes next, or began at an offset of its own.
    if (fetchedFrom(batch) > state.next) return this.#held.begin(state);
    state.head = Number(batch.highWatermark);
    const from = state.next;
    const messages = batch.messages.filter(({ offset }) => Number(offset) >= from);
    for (let done = 0; done < messages.length;) {
      // A queue of batches lies before us that were fetched before the group changed: none of them is ours any more.
      if (this.#over !== undefined) throw this.#over;
      // Asks the coordinator when that was not done within the interval: a process that has slept delivers nothing more.
      // An answer to what it asked before it slept counts as one of now, so it lets the interval pass first.
      if (this.#sleepWatch.waitMs > 0) await sleep(this.#sleepWatch.waitMs);
      await payload.heartbeat();
      if (this.#leaving || state.ended || !payload.isRunning() || payload.isStale()) return;
      const some = messages.slice(done, done + state.limit(this.#maxRecords));
      if (!(await this.#hand(state, some, payload))) return;
      done += some.length;
      await turn();
    }
    state.passOver(Number(batch.lastOffset()) + 1);
  }

  /** A batch of nothing but aborted records is handed to nobody; kafkajs goes on after it by itself. */
  #onNothing({
    topic,
    partition,
    batchSize,
    firstOffset,
    lastOffset,
  }: ConsumerStartBatchProcessEvent['payload']): void {
    const state = this.#held.find(topic, partition);
    if (batchSize > 0 || state?.next === undefined || Number(firstOffset) > state.next) return;
    state.passOver(Number(lastOffset) + 1);
  }

  /** Whether the handler has taken them. */
  async #hand(state: PartitionState, messages: readonly KafkaMessage[], payload: EachBatchPayload): Promise<boolean> {
    const { topic, partition } = state.at;
    const records = messages.map((message) => toRecord(topic, partition, message));
    const nextOffset = (records.at(-1)?.offset ?? 0) + 1;
    const beat = setInterval(() => this.#beat(payload), this.#beatMs);
    this.#hooks.onHandling(true);
    try {
      await this.#options.onBatch({ topic, partition, records, nextOffset });
    } catch (error) {
      this.#held.pause(state, records.length);
      this.#hooks.report(error, state.at);
      return false;
    } finally {
      this.#hooks.onHandling(false);
      clearInterval(beat);
    }
    state.succeeded(nextOffset);
    payload.resolveOffset(String(nextOffset - 1));
    this.#committed.note(state.topicOnBroker, partition, nextOffset);
    // It was set to an older offset while the handler ran.
    if (payload.isStale() && !state.ended) this.#held.seek(state);
    return true;
  }

  #beat(payload: EachBatchPayload): void {
    payload.heartbeat().catch((error: unknown) => {
      // What else may fail here kafkajs finds out by itself, when the handler has ended.
      if (isMembershipOver(error)) this.#over ??= error;
    });
  }
}

/** The offset that was asked for, which kafkajs does not tell in its types. */
function fetchedFrom(batch: Batch): number {
  return Number((batch as Batch & { fetchedOffset: string }).fetchedOffset);
}
