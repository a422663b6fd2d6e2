import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Admin, type KafkaConfig } from 'kafkajs';
import { EnvironmentError } from '@whale/kernel';

const PAUSE_MS = 100;

export type Connection = Pick<KafkaConfig, 'brokers' | 'sasl'>;

interface Waiting {
  /** Throws when it is in vain to wait. */
  checkAlive?: () => void | Promise<void>;
  limitMs: number;
  /** What must succeed. */
  ask: (admin: Admin, kafka: Kafka) => Promise<unknown>;
}

/** Throws EnvironmentError when `ask` does not succeed within the limit. */
export async function untilReady(connection: Connection, { checkAlive, limitMs, ask }: Waiting): Promise<void> {
  const kafka = new Kafka({
    ...connection,
    clientId: 'readiness',
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    retry: { retries: 0 },
  });
  const deadline = performance.now() + limitMs;
  for (;;) {
    await checkAlive?.();
    const admin = kafka.admin();
    try {
      await admin.connect();
      await ask(admin, kafka);
      return;
    } catch (cause) {
      if (performance.now() > deadline) {
        const { message } = cause as Error;
        throw new EnvironmentError(`no Kafka broker is ready at ${connection.brokers}: ${message}`, { cause });
      }
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
    await sleep(PAUSE_MS);
  }
}

/**
 * Asking for a group's offsets makes the internal topic and needs its coordinator, so that the first consumer meets one
 * that is there. Names that differ in the last digit lie in successive partitions of that topic. The first producer id
 * waits for a block of ids from the controller; here, so that the first idempotent producer does not.
 */
export async function askCoordinators(admin: Admin, kafka: Kafka, partitions: number): Promise<void> {
  // Coordinators are asked for at brokers of the metadata, which this brings.
  await admin.listTopics();
  for (let partition = 0; partition < partitions; partition += 1) {
    await admin.fetchOffsets({ groupId: `readiness-${partition}` });
  }
  const producer = kafka.producer({ idempotent: true, retry: { retries: 1 } });
  await producer.connect().finally(() => producer.disconnect());
}
