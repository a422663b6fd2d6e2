import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { PartitionStatus, RecordBatch, SubscribeOptions, TopicPartition } from '@whale/event-log';
import { stickyAssigner, type Holding } from './assigner.ts';
import { partitionKey } from './cluster.ts';
import { CommittedOffsets } from './committed-offsets.ts';
import { isMembershipOver } from './errors.ts';
import { PartitionState } from './partition-state.ts';
import type { SubscriptionParts } from './subscription.ts';
import { toRecord } from './wire.ts';

const DEFAULT_BATCH_RECORDS = 256;
const BEATS_PER_SESSION = 10;
/** How long a fetch waits for records: also how late a paused partition may be taken up again. */
const FETCH_WAIT_MS = 250;
/** How long the others wait for a member whose handler is at work when the group changes. */
const REBALANCE_TIMEOUT_MS = 60_000;
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
  readonly #consumer: Consumer;
  readonly #committed: CommittedOffsets;
  readonly #partitions = new Map<string, PartitionState>();
  readonly #endings = new Map<string, Promise<void>>();
  readonly #beatMs: number;
  #beginning: Promise<unknown> = Promise.resolve();
  #running: Promise<void> | undefined;
  #working: Promise<void> | undefined;
  #leaving = false;
  /** Why the membership is over, from when it is noticed until the member has joined again. */
  #over: unknown;
  #end: (error: unknown) => void = () => undefined;

  constructor(options: SubscribeOptions, parts: SubscriptionParts, hooks: MemberHooks) {
    this.#options = options;
    this.#parts = parts;
    this.#hooks = hooks;
    this.#maxRecords = Math.max(1, Math.floor(options.maxBatchRecords ?? DEFAULT_BATCH_RECORDS));
    this.ended = new Promise((resolve) => (this.#end = resolve));
    const { sessionTimeoutMs } = parts.settings;
    this.#beatMs = Math.floor(sessionTimeoutMs / BEATS_PER_SESSION);
    this.#consumer = parts.kafka.consumer({
      groupId: parts.names.groupOnBroker(options.group),
      partitionAssigners: [stickyAssigner(() => this.#holding())],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: Math.max(REBALANCE_TIMEOUT_MS, sessionTimeoutMs),
      heartbeatInterval: this.#beatMs,
      maxWaitTimeInMs: FETCH_WAIT_MS,
      allowAutoTopicCreation: false,
      retry: { restartOnFailure: async () => false },
    });
    this.#committed = new CommittedOffsets(this.#consumer);
    this.#listen();
  }

  join(): void {
    this.#running = this.#run();
  }

  assigned(): PartitionStatus[] {
    return this.#leaving ? [] : [...this.#partitions.values()].map((state) => state.status);
  }

  /** Waits for the handler, revokes all, leaves the group. Never rejects. */
  async leave(): Promise<void> {
    this.#leaving = true;
    for (const state of this.#partitions.values()) if (!state.busy) state.end();
    await this.#working;
    for (const state of this.#partitions.values()) this.#finish(state);
    await Promise.all(this.#endings.values());
    // A member that leaves while it joins would be waited for by the others until its session ends.
    await Promise.race([this.#running, this.ended, sleep(MOST_MS_TO_JOIN)]);
    await this.#committed.close();
    await Promise.race([this.#consumer.disconnect().catch(() => undefined), sleep(MOST_MS_TO_LEAVE)]);
  }

  #listen(): void {
    const { GROUP_JOIN, FETCH, CRASH, HEARTBEAT } = this.#consumer.events;
    this.#consumer.on(GROUP_JOIN, ({ payload }) => this.#onJoined(payload.memberAssignment));
    this.#consumer.on(FETCH, () => this.#hooks.onAlive());
    this.#consumer.on(HEARTBEAT, () => this.#parts.watch.answered());
    this.#consumer.on(CRASH, ({ payload }) => this.#end(payload.error));
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

  /** Called by kafkajs before it fetches anything under the new assignment, with offsets of Kafka that do not count. */
  #onJoined(assignment: Holding): void {
    this.#over = undefined;
    this.#parts.watch.answered();
    this.#hooks.onAlive();
    if (this.#leaving) return;
    const assigned = new Map(
      Object.entries(assignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => [partitionKey({ topic, partition }), { topic, partition }] as const),
      ),
    );
    for (const [key, state] of this.#partitions) if (!assigned.has(key)) this.#finish(state);
    for (const [key, { topic, partition }] of assigned) {
      const kept = this.#partitions.get(key);
      if (kept !== undefined) {
        if (kept.next !== undefined) this.#seek(kept);
        continue;
      }
      const state = new PartitionState({ topic: this.#parts.names.topicOfLog(topic), partition }, topic);
      this.#partitions.set(key, state);
      this.#consumer.resume([{ topic, partitions: [partition] }]);
      state.begun = this.#begin(state);
    }
  }

  /** One checkpoint is asked for after the other, and never before the partition's last assignment has been revoked. */
  #begin(state: PartitionState): Promise<boolean> {
    const begun = this.#beginning.then(async () => {
      try {
        await this.#endings.get(partitionKey({ topic: state.topicOnBroker, partition: state.at.partition }));
        if (state.ended) return false;
        const checkpoint = await this.#options.checkpoint(state.at);
        const at = [{ topic: state.topicOnBroker, partition: state.at.partition }];
        const [low, head] = await Promise.all([
          this.#parts.cluster.offsets(at, 'low'),
          this.#parts.cluster.offsets(at, 'head'),
        ]);
        const key = partitionKey(at[0] as TopicPartition);
        state.begin(checkpoint, low.get(key) ?? 0, head.get(key) ?? 0);
        if (state.ended) return false;
        this.#seek(state);
        return true;
      } catch (error) {
        if (state.ended) return false;
        this.#pause(state, undefined);
        this.#hooks.report(error, state.at);
        return false;
      }
    });
    this.#beginning = begun;
    return begun;
  }

  async #onFetched(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const state = this.#partitions.get(partitionKey({ topic, partition }));
    if (state === undefined || state.ended || this.#leaving) return;
    let done = () => {};
    this.#working = new Promise((resolve) => (done = resolve));
    state.busy = true;
    try {
      await this.#deliver(state, payload);
    } finally {
      state.busy = false;
      if (state.ended || this.#leaving) this.#finish(state);
      this.#hooks.onAlive();
      done();
    }
  }

  async #deliver(state: PartitionState, payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    if (!(await state.begun) || state.next === undefined) return;
    state.head = Number(batch.highWatermark);
    const from = state.next;
    const messages = batch.messages.filter(({ offset }) => Number(offset) >= from);
    for (let done = 0; done < messages.length;) {
      // A queue of batches lies before us that were fetched before the group changed: none of them is ours any more.
      if (this.#over !== undefined) throw this.#over;
      // Asks the coordinator when that was not done within the interval: a process that has slept delivers nothing more.
      await payload.heartbeat();
      if (this.#leaving || state.ended || !payload.isRunning() || payload.isStale()) return;
      const some = messages.slice(done, done + state.limit(this.#maxRecords));
      if (!(await this.#hand(state, some, payload))) return;
      done += some.length;
    }
  }

  /** Whether the handler has taken them. */
  async #hand(state: PartitionState, messages: readonly KafkaMessage[], payload: EachBatchPayload): Promise<boolean> {
    const { topic, partition } = state.at;
    const records = messages.map((message) => toRecord(topic, partition, message));
    const nextOffset = (records.at(-1)?.offset ?? 0) + 1;
    const beat = setInterval(() => this.#beat(payload), this.#beatMs);
    this.#hooks.onHandling(true);
    try {
      await this.#options.onBatch({ topic, partition, records, nextOffset } satisfies RecordBatch);
    } catch (error) {
      if (!state.ended && !this.#leaving) this.#pause(state, records.length);
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
    if (payload.isStale() && !state.ended) this.#seek(state);
    return true;
  }

  #beat(payload: EachBatchPayload): void {
    payload.heartbeat().catch((error: unknown) => {
      // What else may fail here kafkajs finds out by itself, when the handler has ended.
      if (isMembershipOver(error)) this.#over ??= error;
    });
  }

  /** Kafka is asked for it again after a back-off; others go on meanwhile. */
  #pause(state: PartitionState, records: number | undefined): void {
    const where = [{ topic: state.topicOnBroker, partitions: [state.at.partition] }];
    this.#consumer.pause(where);
    state.failed(records, () => {
      if (state.ended || this.#leaving) return;
      if (state.next !== undefined) return this.#consumer.resume(where);
      state.begun = this.#begin(state);
      void state.begun.then((begun) => {
        if (begun && !this.#leaving) this.#consumer.resume(where);
      });
    });
  }

  #seek(state: PartitionState): void {
    this.#consumer.seek({
      topic: state.topicOnBroker,
      partition: state.at.partition,
      offset: String(state.next),
    });
  }

  /** The partition is no longer held; told once no handler works on it. */
  #finish(state: PartitionState): void {
    state.end();
    if (state.busy) return;
    const key = partitionKey({ topic: state.topicOnBroker, partition: state.at.partition });
    if (this.#partitions.get(key) === state) this.#partitions.delete(key);
    this.#committed.forget(state.topicOnBroker, state.at.partition);
    const revoked = Promise.resolve()
      .then(() => this.#options.onRevoked?.(state.at))
      .catch((error: unknown) => this.#hooks.report(error, state.at))
      .finally(() => this.#endings.delete(key));
    this.#endings.set(key, revoked);
  }

  #holding(): Holding {
    const holding: Record<string, number[]> = {};
    const states = [...this.#partitions.values()].sort((a, b) => Number(b.busy) - Number(a.busy));
    for (const { topicOnBroker, at } of states) (holding[topicOnBroker] ??= []).push(at.partition);
    return holding;
  }
}
