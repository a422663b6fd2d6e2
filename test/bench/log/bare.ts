import { CompressionTypes, Kafka, logLevel, type Consumer, type Producer, type TopicMessages } from 'kafkajs';
import type { AppendRecord, Position } from '@whale/event-log';

const ALL_IN_SYNC_REPLICAS = -1;

/** kafkajs as its manual has it, to compare with: no validation, no text of what is read, no checkpoint of a service. */
export class BareKafka {
  readonly kafka: Kafka;
  /** Put before each topic's name. */
  readonly #prefix: string;

  constructor(brokers: readonly string[], prefix: string) {
    this.kafka = new Kafka({ brokers: [...brokers], clientId: 'bare', logLevel: logLevel.NOTHING });
    this.#prefix = prefix;
  }

  async producer({ idempotent = true } = {}): Promise<Producer> {
    const producer = this.kafka.producer({ idempotent, allowAutoTopicCreation: false });
    await producer.connect();
    return producer;
  }

  topicMessages(records: readonly AppendRecord[]): TopicMessages[] {
    const byTopic = new Map<string, TopicMessages>();
    for (const { topic, key, value, headers } of records) {
      let of = byTopic.get(topic);
      if (of === undefined) byTopic.set(topic, (of = { topic: this.topic(topic), messages: [] }));
      of.messages.push({ key, value, headers: { ...headers } });
    }
    return [...byTopic.values()];
  }

  topic(name: string): string {
    return this.#prefix + name;
  }

  async consumer(group: string, topic: string, { fromBeginning = true } = {}): Promise<Consumer> {
    const consumer = this.kafka.consumer({ groupId: this.#prefix + group, allowAutoTopicCreation: false });
    await consumer.connect();
    await consumer.subscribe({ topics: [this.topic(topic)], fromBeginning });
    return consumer;
  }

  /**
   * Commits offsets to Kafka for a group without members; `group` is its name on the brokers. Of kafkajs's own
   * `setOffsets` each call takes seconds.
   */
  async setOffsets(group: string, positions: readonly Position[]): Promise<void> {
    if (positions.length === 0) return;
    const consumer = this.kafka.consumer({ groupId: group, maxWaitTimeInMs: 100, allowAutoTopicCreation: false });
    const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
    await consumer.connect();
    try {
      await consumer.subscribe({ topics: [...new Set(positions.map(({ topic }) => this.topic(topic)))] });
      await consumer.run({ autoCommit: false, eachBatch: async () => undefined });
      await joined;
      await consumer.commitOffsets(
        positions.map(({ topic, partition, offset }) => ({
          topic: this.topic(topic),
          partition,
          offset: String(offset),
        })),
      );
    } finally {
      await consumer.disconnect();
    }
  }

  /** Takes away what was written: the broker may be another's. */
  async removeTopics(): Promise<void> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      const topics = (await admin.listTopics()).filter((name) => name.startsWith(this.#prefix));
      if (topics.length > 0) await admin.deleteTopics({ topics });
    } finally {
      await admin.disconnect();
    }
  }
}

export async function sendTo(producer: Producer, topicMessages: TopicMessages[]): Promise<void> {
  await producer.sendBatch({ topicMessages, acks: ALL_IN_SYNC_REPLICAS, compression: CompressionTypes.GZIP });
}
