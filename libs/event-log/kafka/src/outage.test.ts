import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Consumer, readAll, record } from '@whale/event-log-testing';
import { startBroker, type Broker } from '@whale/kafka-broker';
import { describeKafka } from '@whale/kafka-broker/testing';
import { KafkaEventLog, type KafkaEventLogOptions } from './kafka-event-log.ts';
import { kafkaSettings } from './settings.ts';

const LIMIT_MS = 120_000;
const AWAY = { name: 'LogError', code: 'LOG_UNAVAILABLE', retryable: true };
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 40_000, interval: 20 });

describeKafka('a broker that goes away', () => {
  describe.skipIf(Boolean(process.env['KAFKA_BROKERS']))('of our own', { timeout: LIMIT_MS }, () => {
    let broker: Broker;
    beforeAll(async () => {
      broker = await startBroker();
    }, LIMIT_MS);
    afterAll(() => broker?.stop(), LIMIT_MS);

    const open = async (options: KafkaEventLogOptions, sessionMs = 6_000) => {
      const settings = kafkaSettings(broker.url, { WHALE_KAFKA_SESSION_TIMEOUT_MS: String(sessionMs) });
      const log = await KafkaEventLog.open(settings, options);
      onTestFinished(() => log.close());
      return log;
    };

    /** Members of two groups that have seen the one record of a topic. */
    async function consuming(log: KafkaEventLog, topic: string): Promise<Consumer[]> {
      await log.ensureTopics([{ name: topic, partitions: 3 }]);
      const consumers = await Promise.all(['a', 'b'].map((group) => new Consumer().start(log, group, topic)));
      onTestFinished(() => Promise.all(consumers.map((consumer) => consumer.stop())).then(() => undefined));
      await log.append([record(topic, 'k', 'before')]);
      await eventually(() => expect(consumers.map(({ values }) => values)).toEqual([['before'], ['before']]));
      return consumers;
    }

    /** Each has given up its place in the group at least once, and asks for another one. */
    async function givenUp(consumers: readonly Consumer[]): Promise<void> {
      // A last answer may still be under way.
      await sleep(1_000);
      const lastAnswers = consumers.map(({ status }) => status.aliveAt);
      // Without brokers the only sign of life is the end of a try.
      await eventually(() => {
        for (const [n, { status }] of consumers.entries()) expect(status.aliveAt).toBeGreaterThan(lastAnswers[n] ?? 0);
      });
    }

    it('K2, K4: killed and started again, it costs nothing but the time', async () => {
      const troubles: string[] = [];
      const patient = await open({ patienceMs: 90_000 });
      const hurried = await open({ patienceMs: 1_000 });
      // The session is longer than the test: nobody may have to wait for the end of that of a member that could not leave.
      const following = await open({ onTrouble: (message) => void troubles.push(message) }, LIMIT_MS);
      const consumers = await consuming(following, 'consume');
      await patient.ensureTopics([{ name: 'append', partitions: 2 }]);
      await patient.append([record('append', 'k', 'first')]);
      expect(await hurried.heads(['append'])).toHaveLength(2);

      await broker.kill();
      // Calls end in a bounded time with an error that says to try again.
      await Promise.all([
        expect(hurried.append([record('append', 'other', 'lost')])).rejects.toMatchObject(AWAY),
        expect(hurried.heads(['append'])).rejects.toMatchObject(AWAY),
        expect(readAll(hurried, 'append')).rejects.toMatchObject(AWAY),
        expect(open({ patienceMs: 1_000 })).rejects.toMatchObject({
          ...AWAY,
          message: expect.stringContaining(broker.brokers[0] as string) as string,
        }),
      ]);
      const appends = Array.from({ length: 20 }, (_, n) => patient.append([record('append', 'k', `${n}`)]));
      await givenUp(consumers);
      await eventually(() => expect(troubles).toHaveLength(1));
      await broker.restart();

      // What somebody waited for with patience is written, once and in order.
      await Promise.all(appends);
      const values = (await readAll(patient, 'append')).filter(({ key }) => key === 'k').map(({ value }) => value);
      expect(values).toEqual(['first', ...Array.from({ length: 20 }, (_, n) => `${n}`)]);
      // What gave up works again.
      await hurried.append([record('append', 'other', 'w')]);
      expect((await readAll(hurried, 'append')).map(({ value }) => value)).toContain('w');
      // Subscriptions go on by themselves, with one line when it goes and one when it is back.
      await following.append([record('consume', 'k', 'after')]);
      await eventually(() => {
        for (const { values: all } of consumers) expect(all).toEqual(['before', 'after']);
      });
      expect(consumers.flatMap(({ errors }) => errors)).toEqual([]);
      expect(troubles).toEqual([
        expect.stringMatching(/does not answer .* trying again/),
        expect.stringMatching(/answers again, after \d+ s/),
      ]);
    });

    it('K2: one that hangs is found out, and survived as well', async () => {
      const troubles: string[] = [];
      const onTrouble = (message: string) => void troubles.push(message);
      const log = await open({ patienceMs: 90_000, requestTimeoutMs: 1_000, onTrouble });
      const consumers = await consuming(log, 'hang');
      await broker.pause();
      const append = log.append([record('hang', 'k', 'after')]);
      await eventually(() => expect(troubles).toEqual([expect.stringContaining('does not answer')]));
      await broker.resume();
      await append;
      await eventually(() => {
        for (const { values } of consumers) expect(new Set(values)).toEqual(new Set(['before', 'after']));
      });
      expect((await readAll(log, 'hang')).map(({ value }) => value)).toEqual(['before', 'after']);
    });
  });
});
