import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { checkTopicDefinition, LogError, type TopicDefinition } from '@whale/event-log';
import type { KafkaCluster } from './cluster.ts';
import { toLogError } from './errors.ts';
import type { Names } from './names.ts';
import type { KafkaSettings } from './settings.ts';

const LEADER_WAIT_MS = 15_000;
const LEADER_POLL_MS = 50;

export interface TopicParts {
  cluster: KafkaCluster;
  names: Names;
  /** Connected. */
  admin: () => Promise<Admin>;
  /** Copies of a topic whose definition says nothing; -1 leaves it to the broker. */
  replicationFactor: number;
}

/** The topics on the brokers, by their names in the log. Partitions never change, so what was read is remembered. */
export class TopicCatalogue {
  readonly #parts: TopicParts;
  readonly #known = new Map<string, readonly number[]>();

  constructor(parts: TopicParts) {
    this.#parts = parts;
  }

  /** Rejects with `LOG_UNKNOWN_TOPIC`. */
  async partitions(topic: string): Promise<readonly number[]> {
    const known = this.#known.get(topic);
    if (known !== undefined) return known;
    const partitions = await this.find(topic);
    if (partitions === undefined) {
      throw new LogError(
        'LOG_UNKNOWN_TOPIC',
        `topic ${this.#parts.names.topicOnBroker(topic)} does not exist; create it with \`whale topics --apply\``,
      );
    }
    return partitions;
  }

  /** Undefined where the topic does not exist. */
  async find(topic: string): Promise<readonly number[] | undefined> {
    try {
      const partitions = await this.#parts.cluster.partitions(this.#parts.names.topicOnBroker(topic));
      this.#known.set(topic, partitions);
      return partitions;
    } catch (error) {
      const failure = toLogError(error, `topic ${topic}`);
      if (failure.code === 'LOG_UNKNOWN_TOPIC' || failure.code === 'LOG_TOPIC_INVALID') return undefined;
      throw failure;
    }
  }

  /** Creates what is missing. Throws `LOG_TOPIC_INVALID`. Asks for no right but DESCRIBE when nothing is missing. */
  async ensure(definitions: readonly TopicDefinition[]): Promise<void> {
    for (const definition of definitions) {
      checkTopicDefinition(definition);
      checkTopicDefinition({ ...definition, name: this.#parts.names.topicOnBroker(definition.name) });
    }
    const missing: TopicDefinition[] = [];
    for (const definition of definitions) {
      const partitions = this.#known.get(definition.name) ?? (await this.find(definition.name));
      if (partitions === undefined) missing.push(definition);
      else this.#checkCount(definition, partitions.length);
    }
    if (missing.length === 0) return;
    await this.#create(missing);
    for (const definition of missing) this.#checkCount(definition, (await this.#created(definition.name)).length);
  }

  async #create(missing: readonly TopicDefinition[]): Promise<void> {
    const { names } = this.#parts;
    const topics = missing.map((definition) => ({
      topic: names.topicOnBroker(definition.name),
      numPartitions: definition.partitions,
      replicationFactor: copiesOf(definition, this.#parts),
      configEntries: Object.entries(keeping(definition)).map(([name, value]) => ({ name, value })),
    }));
    const about = `creating ${topics.map(({ topic }) => topic).join(', ')}`;
    try {
      await (await this.#parts.admin()).createTopics({ topics, waitForLeaders: false });
    } catch (error) {
      const failures = (error as { errors?: unknown[] }).errors ?? [error];
      const real = failures.find((each) => (each as { type?: unknown }).type !== 'TOPIC_ALREADY_EXISTS');
      if (real !== undefined) throw toLogError(real, about);
    }
  }

  /** Other brokers hear of a new topic a moment later. */
  async #created(topic: string): Promise<readonly number[]> {
    const end = performance.now() + LEADER_WAIT_MS;
    while (performance.now() < end) {
      const partitions = await this.find(topic);
      if (partitions !== undefined && partitions.length > 0) return partitions;
      await sleep(LEADER_POLL_MS);
    }
    throw new LogError('LOG_UNAVAILABLE', `topic ${topic} was created but has no leader yet`, { retryable: true });
  }

  #checkCount({ name, partitions }: TopicDefinition, existing: number): void {
    if (existing >= partitions) return;
    throw new LogError(
      'LOG_TOPIC_INVALID',
      `topic ${this.#parts.names.topicOnBroker(name)} has ${existing} partitions and cannot grow to ${partitions}: keys would lose their order. Ask for ${existing} or use a new topic prefix`,
    );
  }
}

/** Settings of the broker by which records go away by their age alone, whatever new topics are set to otherwise. */
export function keeping({ retentionMs }: Pick<TopicDefinition, 'retentionMs'>): Record<string, string> {
  if (retentionMs === undefined) return {};
  return { 'retention.ms': String(retentionMs), 'retention.bytes': '-1', 'cleanup.policy': 'delete' };
}

/** What the operator has set goes before what the definition says; -1 is what the brokers are set to. */
export function copiesOf(
  definition: Pick<TopicDefinition, 'replicationFactor'>,
  settings: Pick<KafkaSettings, 'replicationFactor'>,
): number {
  if (settings.replicationFactor !== -1) return settings.replicationFactor;
  return definition.replicationFactor ?? -1;
}
