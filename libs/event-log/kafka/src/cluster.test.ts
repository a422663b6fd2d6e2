import { Kafka, logLevel, type Admin } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { topicDefinitions } from '@whale/contracts';
import { Consumer, keyPerPartition, readAll, record } from '@whale/event-log-testing';
import { startCluster, whyNoJava, type Cluster } from '@whale/kafka-broker';
import { describeKafka } from '@whale/kafka-broker/testing';
import { kafkaSettings } from './settings.ts';
import { temporaryLog } from './support/temporary.ts';
import { applyTopics, topicPlan } from './topic-plan.ts';

const LIMIT_MS = 180_000;
const TOPIC = 'whale.schedule.v1';
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

const missing = whyNoJava();
if (missing !== null) console.log(`skipped: the log on three brokers (${missing})`);

describeKafka('three brokers', () => {
  describe.skipIf(missing !== null)('of our own', { timeout: LIMIT_MS }, () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster(3);
    }, LIMIT_MS);
    afterAll(() => cluster?.stop(), LIMIT_MS);

    /** Makes the topics, and waits until whatever broker is asked says that they have so many copies. */
    async function expectCopies(
      env: Record<string, string>,
      definitions: Parameters<typeof topicPlan>[1],
      copies: number,
    ): Promise<void> {
      const settings = kafkaSettings(cluster.url, env);
      await applyTopics(settings, definitions);
      await vi.waitFor(async () => {
        const plan = await topicPlan(settings, definitions);
        expect(new Set(plan.map(({ replication }) => replication.is))).toEqual(new Set([copies]));
      }, 30_000);
    }

    it('have as many copies of a topic as it says, as the operator says, or as they do by themselves', async () => {
      await expectCopies({}, topicDefinitions(), 3);
      const two = [{ name: 'two', partitions: 1, replicationFactor: 2 }];
      await expectCopies({}, two, 2);
      await expectCopies({ WHALE_KAFKA_TOPIC_PREFIX: 'one.', WHALE_KAFKA_REPLICATION: '1' }, two, 1);
    });

    it('K6: lose one: what was written is there, and appends and consumers go on', async (test) => {
      const options = { patienceMs: 60_000, onTrouble: () => undefined };
      const log = await temporaryLog(test, kafkaSettings(cluster.url, {}), options);
      const keys = await keyPerPartition(log, TOPIC);
      const append = (when: string) => log.append(keys.map((key, i) => record(TOPIC, key, `${when} ${i}`)));
      // What was under way when the leader died may have been written twice.
      const seen = (values: readonly string[]) => [...new Set(values)].sort();
      await append('before');
      const consumer = await new Consumer().start(log, 'g', TOPIC);
      onTestFinished(() => consumer.stop());
      await eventually(() => expect(consumer.values).toHaveLength(keys.length));

      const victim = await leaderOf(TOPIC);
      // Somebody else's, in one copy: with its broker it has lost its leader.
      const replicaAssignment = [{ partition: 0, replicas: [victim] }];
      await administrate((admin) => admin.createTopics({ topics: [{ topic: 'others', replicaAssignment }] }));
      await cluster.nodes.find(({ id }) => id === victim)?.kill();
      await append('after');
      const both = seen(['before', 'after'].flatMap((when) => keys.map((_, i) => `${when} ${i}`)));
      await eventually(() => expect(seen(consumer.values)).toEqual(both));
      expect(consumer.errors).toEqual([]);
      expect(await leaderOf(TOPIC)).not.toBe(victim);

      // Whoever administers is told what is in the way.
      await expect(topicPlan(kafkaSettings(cluster.url, {}), topicDefinitions())).rejects.toThrow(
        /maybe of another topic, has no leader/u,
      );

      // Who comes only now goes on too, and is told of the dead one first.
      const dead = cluster.brokers[victim - 1] as string;
      const url = `kafka://${[dead, ...cluster.brokers.filter((broker) => broker !== dead)].join(',')}`;
      const fresh = await temporaryLog(test, kafkaSettings(url, {}), options);
      await fresh.append([record(TOPIC, 'k', 'new')]);
      const all = seen([...both, 'new']);
      expect(seen((await readAll(fresh, TOPIC)).map(({ value }) => value))).toEqual(all);
      const newcomer = await new Consumer().start(fresh, 'newcomer', TOPIC);
      onTestFinished(() => newcomer.stop());
      await eventually(() => expect(seen(newcomer.values)).toEqual(all));
    });

    const leaderOf = (topic: string) =>
      administrate(async (admin) => {
        const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
        return topics[0]?.partitions.find(({ partitionId }) => partitionId === 0)?.leader as number;
      });

    async function administrate<T>(order: (admin: Admin) => Promise<T>): Promise<T> {
      const admin = new Kafka({ brokers: [...cluster.brokers], logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      try {
        return await order(admin);
      } finally {
        await admin.disconnect();
      }
    }
  });
});
