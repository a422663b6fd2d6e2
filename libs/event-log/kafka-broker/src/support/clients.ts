import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type Admin, type SASLOptions } from 'kafkajs';
import type { User } from '../index.ts';

export function client(brokers: readonly string[], user?: { username: User; password: string }): Kafka {
  const sasl: SASLOptions | undefined = user && { mechanism: 'plain', ...user };
  return new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    retry: { retries: 3, initialRetryTime: 50 },
    ...(sasl ? { sasl, ssl: false } : {}),
  });
}

export async function administrate<T>(kafka: Kafka, order: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await order(admin);
  } finally {
    await admin.disconnect();
  }
}

export async function makeTopic(kafka: Kafka, topic: string): Promise<void> {
  await administrate(kafka, (admin) => admin.createTopics({ topics: [{ topic, numPartitions: 1 }] }));
}

export async function write(kafka: Kafka, topic: string, value: string): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  try {
    await producer.send({ topic, messages: [{ value }] });
  } finally {
    await producer.disconnect();
  }
}

/** Resolves when it has joined the group, and left it again. */
export async function joinOnce(kafka: Kafka, groupId: string, topic: string): Promise<void> {
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic });
  const joined = new Promise((resolve) => consumer.on('consumer.group_join', resolve));
  await consumer.run({ eachMessage: async () => undefined });
  await joined;
  await consumer.disconnect();
}

/** By a group of its own. */
export async function firstValue(kafka: Kafka, topic: string): Promise<string | undefined> {
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  try {
    return await new Promise((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      consumer.run({ eachMessage: async ({ message }) => resolve(message.value?.toString()) }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}
