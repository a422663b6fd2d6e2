import type { Consumer } from 'kafkajs';
import { LogError, type PartitionStatus, type SubscribeOptions, type TopicPartition } from '@whale/event-log';
import type { Holding } from './assigner.ts';
import { partitionKey } from './cluster.ts';
import { PartitionState } from './partition-state.ts';
import type { SubscriptionParts } from './subscription.ts';

/**
 * The partitions that one member holds, from their assignment to their revocation:
 * 1. A partition begins at the checkpoint of the service, asked for once it is assigned and never before its last
 *    assignment here has been revoked.
 * 2. It goes on without asking only when nobody else can have held it in between.
 * 3. It is revoked once, and not while a handler works on it.
 */
export class HeldPartitions {
  readonly #options: SubscribeOptions;
  readonly #parts: SubscriptionParts;
  readonly #consumer: Consumer;
  readonly #report: (error: unknown, at: TopicPartition) => void;
  readonly #states = new Map<string, PartitionState>();
  readonly #endings = new Map<string, Promise<void>>();
  #beginning: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    options: SubscribeOptions,
    parts: SubscriptionParts,
    consumer: Consumer,
    report: (error: unknown, at: TopicPartition) => void,
  ) {
    this.#options = options;
    this.#parts = parts;
    this.#consumer = consumer;
    this.#report = report;
  }

  find(topicOnBroker: string, partition: number): PartitionState | undefined {
    return this.#states.get(partitionKey({ topic: topicOnBroker, partition }));
  }

  status(): PartitionStatus[] {
    return this.#closed ? [] : [...this.#states.values()].map((state) => state.status);
  }

  /** What a handler works on comes first. */
  holding(): Holding {
    const holding: Record<string, number[]> = {};
    const states = [...this.#states.values()].sort((a, b) => Number(b.busy) - Number(a.busy));
    for (const { topicOnBroker, at } of states) (holding[topicOnBroker] ??= []).push(at.partition);
    return holding;
  }

  /** `unbroken`: the member has been in each generation of the group since its last assignment. */
  assign(assignment: Holding, { unbroken }: { unbroken: boolean }): void {
    const assigned = new Map(
      Object.entries(assignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => [partitionKey({ topic, partition }), { topic, partition }] as const),
      ),
    );
    for (const [key, state] of this.#states) if (!unbroken || !assigned.has(key)) this.#finish(state);
    const fresh: PartitionState[] = [];
    for (const [key, { topic, partition }] of assigned) {
      const kept = this.#states.get(key);
      if (kept !== undefined) {
        if (kept.next !== undefined) this.seek(kept);
        continue;
      }
      const { names, backOff } = this.#parts;
      const state = new PartitionState({ topic: names.topicOfLog(topic), partition }, topic, backOff);
      this.#states.set(key, state);
      this.#consumer.resume([{ topic, partitions: [partition] }]);
      fresh.push(state);
    }
    this.#beginAll(fresh, { justJoined: true });
  }

  begin(state: PartitionState): void {
    this.#beginAll([state], { justJoined: false });
  }

  #beginAll(states: readonly PartitionState[], { justJoined }: { justJoined: boolean }): void {
    const begun = this.#beginning.then(() => this.#beginTogether(states, justJoined));
    for (const state of states) state.begun = begun.then((those) => those.has(state));
    this.#beginning = begun;
  }

  /**
   * Asks for the checkpoints one after the other, and then for the offsets of all in one request. Never rejects. Who has
   * `justJoined` is fetching already, from where the group has committed: where that is right, nothing is fetched twice.
   */
  async #beginTogether(states: readonly PartitionState[], justJoined: boolean): Promise<ReadonlySet<PartitionState>> {
    const checkpoints = new Map<PartitionState, number | undefined>();
    for (const state of states) {
      try {
        await this.#endings.get(keyOf(state));
        if (!state.ended) checkpoints.set(state, await this.#options.checkpoint(state.at));
      } catch (error) {
        this.#notBegun(state, error);
      }
    }
    const begun = new Set<PartitionState>();
    const waiting = [...checkpoints.keys()];
    try {
      const at = waiting.map(({ topicOnBroker, at: { partition } }) => ({ topic: topicOnBroker, partition }));
      const { cluster, names } = this.#parts;
      const [low, head, committed] = await Promise.all([
        cluster.offsets(at, 'low'),
        cluster.offsets(at, 'head'),
        justJoined ? cluster.committed(names.groupOnBroker(this.#options.group), at) : new Map<string, number>(),
      ]);
      for (const state of waiting) {
        if (state.ended) continue;
        try {
          const first = low.get(keyOf(state)) ?? 0;
          const lost = state.begin(checkpoints.get(state), first, head.get(keyOf(state)) ?? 0);
          if (lost !== undefined) this.#report(lost, state.at);
          const fetchedFrom = committed.get(keyOf(state));
          if ((fetchedFrom === -1 ? first : fetchedFrom) !== state.next) this.seek(state);
          begun.add(state);
        } catch (error) {
          this.#notBegun(state, error);
        }
      }
    } catch (error) {
      for (const state of waiting) this.#notBegun(state, error);
    }
    return begun;
  }

  #notBegun(state: PartitionState, error: unknown): void {
    if (state.ended) return;
    this.pause(state, undefined);
    // That the brokers are away is told once for all partitions.
    if (!(error instanceof LogError && error.code === 'LOG_UNAVAILABLE')) this.#report(error, state.at);
  }

  seek({ topicOnBroker, at, next }: PartitionState): void {
    this.#consumer.seek({ topic: topicOnBroker, partition: at.partition, offset: String(next) });
  }

  /** Kafka is asked for it again after a back-off; others go on meanwhile. */
  pause(state: PartitionState, records: number | undefined): void {
    if (state.ended || this.#closed) return;
    const where = [{ topic: state.topicOnBroker, partitions: [state.at.partition] }];
    this.#consumer.pause(where);
    state.failed(records, () => {
      if (state.ended || this.#closed) return;
      if (state.next !== undefined) return this.#consumer.resume(where);
      this.begin(state);
      void state.begun.then((begun) => {
        if (begun && !state.ended && !this.#closed) this.#consumer.resume(where);
      });
    });
  }

  /** The partition is no longer held; told once no handler works on it. */
  #finish(state: PartitionState): void {
    state.end();
    const key = keyOf(state);
    this.#states.delete(key);
    const revoked = state.idle
      .then(() => this.#options.onRevoked?.(state.at))
      .catch((error: unknown) => this.#report(error, state.at))
      .finally(() => {
        if (this.#endings.get(key) === revoked) this.#endings.delete(key);
      });
    this.#endings.set(key, revoked);
  }

  /** Delivers nothing more, and revokes all once the handler has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const state of this.#states.values()) this.#finish(state);
    await Promise.all(this.#endings.values());
  }
}

function keyOf({ topicOnBroker, at }: PartitionState): string {
  return partitionKey({ topic: topicOnBroker, partition: at.partition });
}
