import type { KafkaMessage } from 'kafkajs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LogError, type TopicPartition } from '@whale/event-log';
import { committed } from './aborted.ts';
import { kafkaClient, retries } from './client.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { toLogError, typeOf } from './errors.ts';
import { internalCluster, READ_COMMITTED, type Cluster } from './kafkajs-internals.ts';
import { mistakenListener, wasHungUp } from './mistaken-listener.ts';
import type { KafkaSettings } from './settings.ts';

const COORDINATOR_OF_GROUP = 0;
const FETCH_WAIT_MS = 100;
/** A coordinator that has just started loads its groups first. */
const REMOVAL_PATIENCE_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** A broker hears of a new topic a moment after others have told of it. */
const NEWS_MS = 5_000;

export interface FetchedPage {
  messages: KafkaMessage[];
  /** Where to fetch next; undefined when the page held nothing at all. */
  next: number | undefined;
}

interface RequestOptions {
  patienceMs?: number;
  /** The topics asked for are known to exist. */
  known?: boolean;
  /** A closer look at a failure, before it is told or tried again. */
  examine?: (failure: LogError) => LogError | Promise<LogError>;
}

/** Requests without a group, over one connection to each broker. Names here are those on the broker. */
export class KafkaCluster {
  readonly #settings: KafkaSettings;
  readonly #requestTimeoutMs: number | undefined;
  readonly #watch: ConnectionWatch;
  readonly #patienceMs: number;
  #cluster: Promise<Cluster> | undefined;
  /** How many connections were given up. */
  #dropped = 0;
  #closed = false;

  /** `patienceMs`: how long a request is tried while brokers are away, before it rejects with `LOG_UNAVAILABLE`. */
  constructor(settings: KafkaSettings, watch: ConnectionWatch, patienceMs: number, requestTimeoutMs?: number) {
    this.#settings = settings;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#watch = watch;
    this.#patienceMs = patienceMs;
  }

  /** Resolves when a broker has answered. Settings that are for brokers of another kind are told as such, at once. */
  async connected(): Promise<void> {
    const examine = async (failure: LogError) => {
      if (!wasHungUp(failure)) return failure;
      const mistake = await mistakenListener(this.#settings);
      if (mistake === undefined) return failure;
      return new LogError('LOG_UNAUTHORIZED', `connecting: ${mistake}`, { cause: failure });
    };
    await this.#request('connecting', async () => undefined, { examine });
  }

  /** Partitions that have a leader. Rejects with `LOG_UNKNOWN_TOPIC`. */
  async partitions(topic: string): Promise<number[]> {
    const metadata = await this.#request(`topic ${topic}`, async (cluster) => {
      await cluster.addMultipleTargetTopics([topic]);
      return cluster.findTopicPartitionMetadata(topic);
    });
    return metadata.map(({ partitionId }) => partitionId).sort((a, b) => a - b);
  }

  /** Offsets of the next records (`head`) or of the first ones still there (`low`). */
  async offsets(partitions: readonly TopicPartition[], which: 'head' | 'low'): Promise<Map<string, number>> {
    if (partitions.length === 0) return new Map();
    const asked = byTopic(partitions);
    const ask = async (cluster: Cluster) => {
      await cluster.addMultipleTargetTopics(asked.map(({ topic }) => topic));
      return cluster.fetchTopicsOffset(asked.map((each) => ({ ...each, fromBeginning: which === 'low' })));
    };
    return byPartition(await this.#request('offsets', ask, { known: true }));
  }

  /** Offsets that a group has committed; -1 where it has none. */
  async committed(group: string, partitions: readonly TopicPartition[]): Promise<Map<string, number>> {
    if (partitions.length === 0) return new Map();
    const topics = byTopic(partitions);
    const ask = async (cluster: Cluster) => {
      await cluster.addMultipleTargetTopics(topics.map(({ topic }) => topic));
      const coordinator = await cluster.findGroupCoordinator({ groupId: group });
      return (await coordinator.offsetFetch({ groupId: group, topics })).responses;
    };
    return byPartition(await this.#request(`offsets of group ${group}`, ask, { known: true }));
  }

  /** Records from `offset` on, about `maxBytes` of them, at least one where there is one. */
  async fetch({ topic, partition }: TopicPartition, offset: number, maxBytes: number): Promise<FetchedPage> {
    const about = `${topic}/${partition}`;
    const ask = async (cluster: Cluster) => {
      await cluster.addMultipleTargetTopics([topic]);
      const leader = cluster.findTopicPartitionMetadata(topic).find(({ partitionId }) => partitionId === partition);
      if (leader === undefined) throw new LogError('LOG_UNKNOWN_TOPIC', `${about} does not exist`);
      const broker = await cluster.findBroker({ nodeId: leader.leader });
      const { responses } = await broker.fetch({
        maxWaitTime: FETCH_WAIT_MS,
        minBytes: 1,
        maxBytes,
        isolationLevel: READ_COMMITTED,
        topics: [{ topic, partitions: [{ partition, fetchOffset: String(offset), maxBytes }] }],
        rackId: '',
      });
      return responses[0]?.partitions[0] ?? { messages: [] };
    };
    const fetched = await this.#request(about, ask, { known: true });
    const last = fetched.messages.at(-1);
    return {
      messages: committed(fetched).filter((each) => Number(each.offset) >= offset),
      next: last === undefined ? undefined : Math.max(offset, Number(last.offset) + 1),
    };
  }

  /** Why the group of these topics has no coordinator, when a consumer was told only that. Asked once. */
  async groupTrouble(group: string, topics: readonly string[]): Promise<LogError | undefined> {
    try {
      await this.#request(
        `group ${group}`,
        async (cluster) => {
          await cluster.addMultipleTargetTopics(topics);
          const broker = await cluster.findBroker({ nodeId: cluster.getNodeIds()[0] ?? '' });
          await broker.findGroupCoordinator({ groupId: group, coordinatorType: COORDINATOR_OF_GROUP });
        },
        { patienceMs: 0 },
      );
      return undefined;
    } catch (error) {
      return toLogError(error, `group ${group}`);
    }
  }

  /** Takes a member out of its group that could not leave it. Resolves with whether nothing is left to be done. */
  async removeMember(group: string, memberId: string, topics: readonly string[]): Promise<boolean> {
    try {
      await this.#request(
        `group ${group}`,
        async (cluster) => {
          await cluster.addMultipleTargetTopics(topics);
          const coordinator = await cluster.findGroupCoordinator({ groupId: group });
          await coordinator.leaveGroup({ groupId: group, memberId });
        },
        { patienceMs: REMOVAL_PATIENCE_MS },
      );
      return true;
    } catch (error) {
      return typeOf(error) === 'UNKNOWN_MEMBER_ID' || !toLogError(error, group).retryable;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const cluster = await this.#cluster?.catch(() => undefined);
    await cluster?.disconnect().catch(() => undefined);
  }

  /** Tried again until it is answered or patience is over. */
  async #request<T>(
    about: string,
    ask: (cluster: Cluster) => Promise<T>,
    { patienceMs = this.#patienceMs, known = false, examine = (failure) => failure }: RequestOptions = {},
  ): Promise<T> {
    const start = performance.now();
    const end = start + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const connecting = (this.#cluster ??= this.#connect());
      try {
        const answer = await ask(await connecting);
        this.#watch.answered();
        return answer;
      } catch (error) {
        if (typeOf(error) === 'OFFSET_OUT_OF_RANGE') throw error;
        await this.#drop(connecting);
        const failure = await examine(toLogError(error, about));
        if (failure.retryable && !this.#closed) this.#watch.failed(failure);
        const isNews = known && failure.code === 'LOG_UNKNOWN_TOPIC' && performance.now() < start + NEWS_MS;
        if (!(failure.retryable || isNews) || this.#closed || performance.now() + pause > end) throw failure;
        await sleep(pause);
      }
    }
  }

  async #connect(): Promise<Cluster> {
    // A client begins with the first broker of its list, so each has its turn.
    const first = this.#dropped % this.#settings.brokers.length;
    const brokers = [...this.#settings.brokers.slice(first), ...this.#settings.brokers.slice(0, first)];
    const cluster = internalCluster(kafkaClient({ ...this.#settings, brokers }, retries(0), this.#requestTimeoutMs));
    await cluster.connect();
    try {
      // Only by metadata it knows any broker but the first.
      await cluster.refreshMetadata();
    } catch (error) {
      // Of all topics that there are: one of somebody else has no leader. Those asked for next are looked up alone.
      if (typeOf(error) !== 'LEADER_NOT_AVAILABLE') throw error;
    }
    return cluster;
  }

  /** After most failures a new connection with new metadata is the surest cure. */
  async #drop(connecting: Promise<Cluster>): Promise<void> {
    if (this.#cluster !== connecting) return;
    this.#cluster = undefined;
    this.#dropped++;
    const cluster = await connecting.catch(() => undefined);
    cluster?.disconnect().catch(() => undefined);
  }
}

function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: { partition: number }[] }[] {
  const topics = new Map<string, { partition: number }[]>();
  for (const { topic, partition } of partitions) topics.set(topic, [...(topics.get(topic) ?? []), { partition }]);
  return [...topics].map(([topic, of]) => ({ topic, partitions: of }));
}

function byPartition(
  topics: readonly { topic: string; partitions: readonly { partition: number; offset: string }[] }[],
): Map<string, number> {
  return new Map(
    topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => [partitionKey({ topic, partition }), Number(offset)] as const),
    ),
  );
}

export function partitionKey({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
