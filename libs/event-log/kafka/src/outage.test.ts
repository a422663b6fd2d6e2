import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Consumer, readAll, record } from '@whale/event-log-testing';
import { startBroker, type Broker } from '@whale/kafka-broker';
import { describeKafka } from '@whale/kafka-broker/testing';
import { KafkaEventLog } from './kafka-event-log.ts';
import { kafkaSettings } from './settings.ts';

const LIMIT_MS = 120_000;
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 20 });

describeKafka('a broker that goes away', () => {
  describe.skipIf(process.env['KAFKA_BROKERS'] !== undefined)('of our own', { timeout: LIMIT_MS }, () => {
    let broker: Broker;
    beforeAll(async () => {
      broker = await startBroker();
    }, LIMIT_MS);
    afterAll(() => broker?.stop(), LIMIT_MS);

    const open = async (troubles: string[] = [], patienceMs?: number, sessionMs = 6_000) => {
      const settings = kafkaSettings(broker.url, { WHALE_KAFKA_SESSION_TIMEOUT_MS: String(sessionMs) });
      const onTrouble = (message: string) => void troubles.push(message);
      const log = await KafkaEventLog.open(settings, {
        onTrouble,
        ...(patienceMs === undefined ? {} : { patienceMs }),
      });
      onTestFinished(() => log.close());
      return log;
    };

    it('K2: an append in its midst is written when it is back, once and in order', async () => {
      const log = await open([], 30_000);
      await log.ensureTopics([{ name: 'append', partitions: 2 }]);
      await log.append([record('append', 'k', 'first')]);
      await broker.kill();
      const appends = Array.from({ length: 20 }, (_, n) => log.append([record('append', 'k', `${n}`)]));
      await sleep(1_000);
      await broker.restart();
      await Promise.all(appends);
      const values = (await readAll(log, 'append')).map(({ value }) => value);
      expect(values).toEqual(['first', ...Array.from({ length: 20 }, (_, n) => `${n}`)]);
    });

    it('K2: calls end in a bounded time with an error that says to try again', async () => {
      const log = await open([], 2_000);
      await log.ensureTopics([{ name: 'bounded', partitions: 1 }]);
      await broker.kill();
      const away = { name: 'LogError', code: 'LOG_UNAVAILABLE', retryable: true };
      const before = performance.now();
      await Promise.all([
        expect(log.append([record('bounded', 'k', 'v')])).rejects.toMatchObject(away),
        expect(log.heads(['bounded'])).rejects.toMatchObject(away),
        expect(readAll(log, 'bounded')).rejects.toMatchObject(away),
      ]);
      expect(performance.now() - before).toBeLessThan(20_000);
      await broker.restart();
      await log.append([record('bounded', 'k', 'w')]);
      expect((await readAll(log, 'bounded')).at(-1)?.value).toBe('w');
    });

    it('K2, K4: subscriptions go on by themselves, with one line when it goes and one when it is back', async () => {
      const troubles: string[] = [];
      // Longer than the test: nobody may have to wait for the end of the session of a member that could not leave.
      const log = await open(troubles, undefined, 120_000);
      await log.ensureTopics([{ name: 'consume', partitions: 3 }]);
      const consumers = await Promise.all(['a', 'b'].map((group) => new Consumer().start(log, group, 'consume')));
      onTestFinished(() => Promise.all(consumers.map((consumer) => consumer.stop())).then(() => undefined));
      await log.append([record('consume', 'k', 'before')]);
      await eventually(() => expect(consumers.map(({ values }) => values)).toEqual([['before'], ['before']]));
      await broker.kill();
      await sleep(8_000);
      await broker.restart();
      await log.append([record('consume', 'k', 'after')]);
      await eventually(() => {
        for (const { values } of consumers) expect(values).toEqual(['before', 'after']);
      });
      expect(consumers.flatMap(({ errors }) => errors)).toEqual([]);
      expect(troubles).toEqual([
        expect.stringMatching(/does not answer .* trying again/),
        expect.stringMatching(/answers again, after \d+ s/),
      ]);
    });

    it('K2: a broker that hangs is survived as well', async () => {
      const log = await open([], 40_000);
      await log.ensureTopics([{ name: 'hang', partitions: 1 }]);
      const consumer = await new Consumer().start(log, 'g', 'hang');
      onTestFinished(() => consumer.stop());
      await log.append([record('hang', 'k', '0')]);
      await eventually(() => expect(consumer.values).toEqual(['0']));
      await broker.pause();
      const append = log.append([record('hang', 'k', '1')]);
      await sleep(12_000);
      await broker.resume();
      await append;
      await eventually(() => expect(new Set(consumer.values)).toEqual(new Set(['0', '1'])));
      expect((await readAll(log, 'hang')).map(({ value }) => value)).toEqual(['0', '1']);
    });

    it('K2: a log opened while no broker answers says so', async () => {
      await broker.kill();
      const opening = KafkaEventLog.open(kafkaSettings(broker.url, {}), { patienceMs: 1_000 });
      await expect(opening).rejects.toMatchObject({
        code: 'LOG_UNAVAILABLE',
        message: expect.stringContaining(broker.brokers[0] as string),
      });
      await broker.restart();
    });
  });
});
