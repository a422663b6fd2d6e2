import { randomUUID } from 'node:crypto';
import type { TestContext } from 'vitest';
import { Consumer } from '@whale/event-log-testing';
import { sharedBroker } from '@whale/kafka-broker/testing';
import { KafkaEventLog, type KafkaEventLogOptions } from '../kafka-event-log.ts';
import { kafkaSettings, type KafkaSettings } from '../settings.ts';

/** Settings for the broker of this test run, with names of its own. */
export async function temporarySettings(env: Record<string, string> = {}): Promise<KafkaSettings> {
  const { url } = await sharedBroker();
  return kafkaSettings(url, {
    WHALE_KAFKA_TOPIC_PREFIX: `t-${randomUUID()}.`,
    WHALE_KAFKA_SESSION_TIMEOUT_MS: '6000',
    ...env,
  });
}

/** What runs things to be ended with it: the context of the test, which tells those that run at the same time apart. */
export type Owner = Pick<TestContext, 'onTestFinished'>;

/** A log that is closed with the test. */
export async function temporaryLog(
  owner: Owner,
  settings: KafkaSettings,
  options: KafkaEventLogOptions = {},
): Promise<KafkaEventLog> {
  const log = await KafkaEventLog.open(settings, options);
  owner.onTestFinished(() => log.close());
  return log;
}

/** A member of group g on topic t, which ends with the test. */
export async function consuming(owner: Owner, log: KafkaEventLog, consumer = new Consumer()): Promise<Consumer> {
  await consumer.start(log, 'g', 't');
  owner.onTestFinished(() => consumer.stop());
  return consumer;
}
