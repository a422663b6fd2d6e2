import { randomUUID } from 'node:crypto';
import { eventLogContract } from '@whale/event-log-testing';
import { describeKafka, sharedBroker } from '@whale/kafka-broker/testing';
import { KafkaEventLog } from './kafka-event-log.ts';
import { kafkaSettings } from './settings.ts';

describeKafka('on a broker', () => {
  eventLogContract('kafka', async () => {
    const { url } = await sharedBroker();
    const env = { WHALE_KAFKA_TOPIC_PREFIX: `c-${randomUUID()}.`, WHALE_KAFKA_SESSION_TIMEOUT_MS: '6000' };
    // Killed by a test, which waits until it is missed.
    const argument = JSON.stringify({ url, env: { ...env, WHALE_KAFKA_SESSION_TIMEOUT_MS: '3000' } });
    return {
      open: (options) => KafkaEventLog.open(kafkaSettings(url, env), options),
      child: { module: new URL('./testing/open-log.ts', import.meta.url), argument },
      settleMs: 30_000,
      dispose: async () => undefined,
    };
  });
});
