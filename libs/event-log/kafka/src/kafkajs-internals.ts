import { createRequire } from 'node:module';
import type { Kafka, KafkaMessage, Producer, ProducerConfig } from 'kafkajs';
import { LogError } from '@whale/event-log';

/**
 * The parts of kafkajs below its public interface that are used here, and nowhere else. kafkajs reads only through
 * consumer groups, whose join and leave cost seconds for each range that is read; a fetch costs a round trip. kafkajs
 * is pinned exactly, and no longer changes.
 */
export interface Cluster {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
  refreshMetadata(): Promise<void>;
  findTopicPartitionMetadata(topic: string): readonly PartitionMetadata[];
  findGroupCoordinator(of: { groupId: string }): Promise<Broker>;
  getNodeIds(): readonly string[];
  findBroker(where: { nodeId: number | string }): Promise<Broker>;
  fetchTopicsOffset(
    topics: readonly { topic: string; partitions: { partition: number }[]; fromBeginning: boolean }[],
  ): Promise<{ topic: string; partitions: { partition: number; offset: string }[] }[]>;
}

interface PartitionMetadata {
  partitionId: number;
  leader: number;
}

interface Broker {
  offsetFetch(request: {
    groupId: string;
    topics: readonly { topic: string; partitions: { partition: number }[] }[];
  }): Promise<{ responses: { topic: string; partitions: { partition: number; offset: string }[] }[] }>;
  leaveGroup(request: { groupId: string; memberId: string }): Promise<unknown>;
  findGroupCoordinator(request: { groupId: string; coordinatorType: number }): Promise<unknown>;
  fetch(request: {
    maxWaitTime: number;
    minBytes: number;
    maxBytes: number;
    isolationLevel: number;
    topics: { topic: string; partitions: { partition: number; fetchOffset: string; maxBytes: number }[] }[];
    rackId: string;
  }): Promise<{ responses: { partitions: FetchedPartition[] }[] }>;
}

export interface FetchedPartition {
  messages: FetchedMessage[];
  /** Of the transactions that were aborted, and have records here. */
  abortedTransactions?: { producerId: string; firstOffset: string }[] | null;
}

export type FetchedMessage = KafkaMessage & {
  isControlRecord?: boolean;
  batchContext: { producerId: string; inTransaction: boolean };
};

const METADATA_MAX_AGE_MS = 300_000;
export const READ_COMMITTED = 1;

type CreateCluster = (options: object) => Cluster;

export function internalCluster(kafka: Kafka): Cluster {
  return createCluster(kafka)[1]({
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    isolationLevel: READ_COMMITTED,
  });
}

/**
 * A connected producer that knows these topics. An idempotent one asks for all topics that there are when it knows none,
 * and does not come up while one of somebody else has no leader.
 */
export async function connectedProducer(
  kafka: Kafka,
  config: ProducerConfig,
  topics: readonly string[],
): Promise<Producer> {
  const [symbol, create] = createCluster(kafka);
  let made: Cluster | undefined;
  const observed = Object.create(kafka, {
    [symbol]: { value: (options: object) => (made = create(options)) },
  }) as Kafka;
  const producer = observed.producer(config);
  try {
    await made?.connect();
    await made?.addMultipleTargetTopics(topics);
    await producer.connect();
    return producer;
  } catch (error) {
    // The other side may be gone, and its farewell long.
    producer.disconnect().catch(() => undefined);
    throw error;
  }
}

function createCluster(kafka: Kafka): [symbol, CreateCluster] {
  const symbol = Object.getOwnPropertySymbols(kafka).find((each) => each.description === 'private:Kafka:createCluster');
  if (symbol === undefined) throw new LogError('LOG_IO', 'this is not the version of kafkajs that is pinned');
  return [symbol, (kafka as unknown as Record<symbol, CreateCluster>)[symbol] as CreateCluster];
}

interface RequestQueue {
  pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * Each connection looks once a millisecond for requests that wait, for ever, by a timer that was due in 1970: which costs
 * an idle process CPU, and of which Node prints a warning from 24 on. Here it looks while one waits.
 */
export function keepConnectionsIdle(): void {
  const load = createRequire(import.meta.url);
  const { prototype } = load('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
}
