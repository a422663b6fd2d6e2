import { expect, it, vi } from 'vitest';
import { describeKafka } from '@whale/kafka-broker/testing';
import { Kafka, ConfigResourceTypes, logLevel } from 'kafkajs';
import { temporarySettings } from './support/temporary.ts';
import { applyTopics, topicPlan } from './topic-plan.ts';

const DAY_MS = 86_400_000;

describeKafka('plan of topics', () => {
  it('says what is missing and what differs, and applying it makes both as defined', async () => {
    const settings = await temporarySettings();
    const states = async (definitions: Parameters<typeof topicPlan>[1]) =>
      (await topicPlan(settings, definitions)).map(({ state }) => state);
    const first = [
      { name: 'a', partitions: 2, retentionMs: -1 },
      { name: 'b', partitions: 1 },
    ];
    expect(await states(first)).toEqual(['missing', 'missing']);
    await applyTopics(settings, first);
    expect(await states(first)).toEqual(['as-defined', 'as-defined']);
    const changed = [{ name: 'a', partitions: 2, retentionMs: 30 * DAY_MS }];
    expect(await topicPlan(settings, changed)).toEqual([
      {
        topic: 'a',
        topicOnBroker: `${settings.topicPrefix}a`,
        state: 'differs',
        partitions: { is: 2, defined: 2 },
        retentionMs: { is: -1, defined: 30 * DAY_MS },
        losesBy: [],
        replication: { is: 1, defined: undefined },
      },
    ]);
    await applyTopics(settings, changed);
    expect(await states(changed)).toEqual(['as-defined']);
  });

  it('finds what an operator has set by which records would be lost, and takes it away', async () => {
    const settings = await temporarySettings();
    const topic = `${settings.topicPrefix}a`;
    const admin = new Kafka({ brokers: [...settings.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const losing = { 'retention.ms': '-1', 'cleanup.policy': 'compact', 'retention.bytes': '20000' };
    const configEntries = Object.entries(losing).map(([name, value]) => ({ name, value }));
    await admin.createTopics({ topics: [{ topic, numPartitions: 1, configEntries }], waitForLeaders: false });
    await admin.disconnect();
    const definitions = [{ name: 'a', partitions: 1, retentionMs: -1 }];
    const found = { state: 'differs', losesBy: ['retention.bytes=20000', 'cleanup.policy=compact'] };
    await vi.waitFor(async () => expect(await topicPlan(settings, definitions)).toMatchObject([found]), 10_000);
    await applyTopics(settings, definitions);
    expect(await topicPlan(settings, definitions)).toMatchObject([{ state: 'as-defined', losesBy: [] }]);
  });

  it('leaves alone what a topic sets besides', async () => {
    const settings = await temporarySettings();
    await applyTopics(settings, [{ name: 'a', partitions: 1, retentionMs: -1 }]);
    const name = `${settings.topicPrefix}a`;
    const resource = { type: ConfigResourceTypes.TOPIC, name };
    const admin = new Kafka({ brokers: [...settings.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const entry = { name: 'max.message.bytes', value: '2000000' };
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries: [entry] }] });
    await applyTopics(settings, [{ name: 'a', partitions: 1, retentionMs: DAY_MS }]);
    const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [resource] });
    await admin.disconnect();
    const values = new Map(resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]));
    expect(values.get('max.message.bytes')).toBe('2000000');
    expect(values.get('retention.ms')).toBe(String(DAY_MS));
  });

  it('refuses a topic with too few partitions, and changes nothing then', async () => {
    const settings = await temporarySettings();
    await applyTopics(settings, [{ name: 'a', partitions: 1 }]);
    const wanted = [
      { name: 'a', partitions: 3 },
      { name: 'c', partitions: 1 },
    ];
    await expect(applyTopics(settings, wanted)).rejects.toMatchObject({ code: 'LOG_TOPIC_INVALID' });
    expect((await topicPlan(settings, wanted)).map(({ state }) => state)).toEqual(['short', 'missing']);
  });
});
