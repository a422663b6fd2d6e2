import { randomUUID } from 'node:crypto';
import { TOPIC_NAMES, topicDefinitions } from '@whale/contracts';
import { KafkaEventLog, kafkaSettings } from '@whale/event-log-kafka';
import { describeKafka, sharedBroker } from '@whale/kafka-broker/testing';
import { poisonContract, QUICK_BACK_OFF } from '@whale/service-kit/testing';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';

/** The topics of the events take records that the broker's default refuses; those of the dead letters do not. */
async function allowLarge(brokers: readonly string[], topics: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: String(8 * 1024 * 1024) }];
  const resources = topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name, configEntries }));
  await admin.alterConfigs({ resources, validateOnly: false });
  await admin.disconnect();
}

describeKafka('on a broker', () => {
  poisonContract('Kafka', async () => {
    const { url, brokers } = await sharedBroker();
    const prefix = `poison-${randomUUID()}.`;
    const settings = kafkaSettings(url, { WHALE_KAFKA_TOPIC_PREFIX: prefix });
    const log = await KafkaEventLog.open(settings, { backOff: QUICK_BACK_OFF });
    await log.ensureTopics(topicDefinitions());
    await allowLarge(
      brokers,
      TOPIC_NAMES.map((name) => prefix + name),
    );
    return { log, dispose: () => log.close() };
  });
});
