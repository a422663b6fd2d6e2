import { randomUUID } from 'node:crypto';
import { eventLogContract } from '@whale/event-log-testing';
import { describeKafka, sharedBroker } from '@whale/kafka-broker/testing';
import { KafkaEventLog } from './kafka-event-log.ts';
import { kafkaSettings } from './settings.ts';

describeKafka('on a broker', () => {
  eventLogContract('kafka', async () => {
    const { url } = await sharedBroker();
    const env = { WHALE_KAFKA_TOPIC_PREFIX: `c-${randomUUID()}.`, WHALE_KAFKA_SESSION_TIMEOUT_MS: '6000' };
    return {
      open: () => KafkaEventLog.open(kafkaSettings(url, env)),
      child: { module: new URL('./testing/open-log.ts', import.meta.url), argument: JSON.stringify({ url, env }) },
      settleMs: 30_000,
      dispose: async () => undefined,
    };
  });
});
