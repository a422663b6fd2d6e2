import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
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

/** A log that is closed with the test. */
export async function temporaryLog(
  settings: KafkaSettings,
  options: KafkaEventLogOptions = {},
): Promise<KafkaEventLog> {
  const log = await KafkaEventLog.open(settings, options);
  onTestFinished(() => log.close());
  return log;
}
