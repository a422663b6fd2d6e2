import { randomBytes } from 'node:crypto';
import { CompressionTypes, Kafka, logLevel, type Message } from 'kafkajs';
import { expect, it, vi } from 'vitest';
import { collect, Consumer, readAll, record } from '@whale/event-log-testing';
import { describeKafka } from '@whale/kafka-broker/testing';
import type { KafkaSettings } from './settings.ts';
import { consuming, temporaryLog, temporarySettings } from './support/temporary.ts';

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 25_000, interval: 20 });

/** Another client, that knows nothing of us. */
function foreign({ brokers }: KafkaSettings): Kafka {
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
}

/** With one partition, and settings that an operator may choose. */
async function createForeign(settings: KafkaSettings, name: string, set: Readonly<Record<string, string>>) {
  const admin = foreign(settings).admin();
  await admin.connect();
  const configEntries = Object.entries(set).map(([key, value]) => ({ name: key, value }));
  const topic = { topic: settings.topicPrefix + name, numPartitions: 1, configEntries };
  await admin.createTopics({ topics: [topic], waitForLeaders: false });
  await admin.disconnect();
}

async function writeForeign(
  settings: KafkaSettings,
  topic: string,
  messages: Message[],
  compression = CompressionTypes.None,
): Promise<void> {
  vi.stubEnv('KAFKAJS_NO_PARTITIONER_WARNING', '1');
  const producer = foreign(settings).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  await producer.send({ topic: settings.topicPrefix + topic, messages, compression });
  await producer.disconnect();
}

describeKafka(
  'the log on Kafka',
  () => {
    it('K1: whatever a foreign writer puts on a topic is handed on as text, and the partition goes on', async (test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      await writeForeign(settings, 't', [
        { key: null, value: null },
        { key: Buffer.from([0xff, 0xfe]), value: Buffer.from([0xc3, 0x28, 0x00, 0x41]) },
        { key: 'k', value: 'v', headers: { twice: ['a', 'b'], raw: Buffer.from([0xff]) } },
      ]);
      await writeForeign(settings, 't', [{ key: 'k', value: Buffer.alloc(70_000_000) }], CompressionTypes.GZIP);
      await log.append([record('t', 'k', 'good')]);
      const consumer = await consuming(test, log);
      await eventually(() => expect(consumer.records).toHaveLength(5));
      const seen = consumer.records.map(({ key, value, headers }) => ({ key, value, headers }));
      expect(seen).toEqual([
        { key: '', value: '', headers: {} },
        { key: '\ufffd\ufffd', value: '\ufffd(\0A', headers: {} },
        { key: 'k', value: 'v', headers: { twice: 'b', raw: '\ufffd' } },
        { key: 'k', value: '(70000000 bytes, more than a record may have)', headers: {} },
        { key: 'k', value: 'good', headers: {} },
      ]);
      expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(consumer.values);
      expect(consumer.errors).toEqual([]);
    });

    it.for(['snappy', 'lz4', 'zstd', 'gzip', 'uncompressed'])(
      'K1: reads records that are compressed in any way of Kafka (%s)',
      async (compression, test) => {
        const settings = await temporarySettings();
        // The broker compresses anew what it gets.
        await createForeign(settings, 't', { 'compression.type': compression });
        const log = await temporaryLog(test, settings);
        await log.ensureTopics([{ name: 't', partitions: 1 }]);
        const values = ['', 'a', 'ab'.repeat(200_000), randomBytes(100_000).toString('hex'), '\u{1f433}'.repeat(50)];
        await log.append(values.map((value) => record('t', 'k', value)));
        const consumer = await consuming(test, log);
        await eventually(() => expect(consumer.records).toHaveLength(values.length));
        expect(consumer.values).toEqual(values);
        expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(values);
        expect(consumer.errors).toEqual([]);
      },
    );

    it('lies on the topic as others read it: CloudEvents headers, key, JSON text', async (test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      await log.append([record('t', 'exp-1', '{"n":1}', { ce_id: 'x', 'content-type': 'application/json' })]);
      const consumer = foreign(settings).consumer({ groupId: `${settings.groupPrefix}foreign` });
      await consumer.connect();
      test.onTestFinished(() => consumer.disconnect());
      await consumer.subscribe({ topic: `${settings.topicPrefix}t`, fromBeginning: true });
      const seen: unknown[] = [];
      await consumer.run({
        eachMessage: async ({ message: { key, value, headers } }) => {
          const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)]);
          seen.push([String(key), JSON.parse(String(value)), Object.fromEntries(texts)]);
        },
      });
      await eventually(() =>
        expect(seen).toEqual([['exp-1', { n: 1 }, { ce_id: 'x', 'content-type': 'application/json' }]]),
      );
    });

    it.for(['none', 'gzip'])(
      'a record that is too large is refused, and fails no other call (%s)',
      async (compression, test) => {
        const settings = await temporarySettings({ WHALE_KAFKA_COMPRESSION: compression });
        const log = await temporaryLog(test, settings);
        await log.ensureTopics([{ name: 't', partitions: 1 }]);
        const large = randomBytes(5_000_000).toString('base64');
        const results = await Promise.allSettled([
          log.append([record('t', 'k', 'before')]),
          log.append([record('t', 'k', large)]),
          log.append([record('t', 'k', 'after')]),
        ]);
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(results[1]).toMatchObject({ reason: { code: 'LOG_RECORD_TOO_LARGE', retryable: false } });
        expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(['before', 'after']);
      },
    );

    it('an append of many MB is cut into requests, in order', async (test) => {
      const log = await temporaryLog(test, await temporarySettings({ WHALE_KAFKA_COMPRESSION: 'none' }));
      await log.ensureTopics([{ name: 't', partitions: 2 }]);
      const records = Array.from({ length: 60 }, (_, n) => record('t', `k${n % 4}`, `${n}`.padEnd(100_000, '.')));
      await log.append(records);
      const back = await readAll(log, 't');
      expect(back).toHaveLength(60);
      for (const key of ['k0', 'k1', 'k2', 'k3']) {
        const numbers = back.filter((each) => each.key === key).map(({ value }) => parseInt(value, 10));
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }
    });

    it('K5: begins where the checkpoint says, whatever is committed to Kafka; and commits for lag tools', async (test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      await log.append(['0', '1', '2', '3'].map((value) => record('t', 'k', value)));
      const first = await consuming(test, log);
      await eventually(() => expect(first.values).toHaveLength(4));
      await first.stop();
      const admin = foreign(settings).admin();
      await admin.connect();
      test.onTestFinished(() => admin.disconnect());
      const committed = await admin.fetchOffsets({
        groupId: `${settings.groupPrefix}g`,
        topics: [`${settings.topicPrefix}t`],
      });
      expect(committed[0]?.partitions).toMatchObject([{ partition: 0, offset: '4' }]);
      const rewound = await consuming(test, log, new Consumer(new Map([[0, 1]])));
      await eventually(() => expect(rewound.values).toEqual(['1', '2', '3']));
      await rewound.stop();
      const beyond = await consuming(test, log, new Consumer(new Map([[0, 9]])));
      await eventually(() => expect(beyond.errors[0]?.error).toMatchObject({ code: 'LOG_CORRUPT' }));
      expect(beyond.values).toEqual([]);
    });

    it('what was deleted before it was read is passed over, and told', async (test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 1, retentionMs: 3_600_000 }]);
      await log.append(['0', '1', '2', '3'].map((value) => record('t', 'k', value)));
      const admin = foreign(settings).admin();
      await admin.connect();
      test.onTestFinished(() => admin.disconnect());
      // kafkajs looks for the leader without having asked who it is.
      await admin.fetchTopicOffsets(`${settings.topicPrefix}t`);
      await admin.deleteTopicRecords({
        topic: `${settings.topicPrefix}t`,
        partitions: [{ partition: 0, offset: '2' }],
      });
      const consumer = await consuming(test, log, new Consumer(new Map([[0, 1]])));
      await eventually(() => expect(consumer.values).toEqual(['2', '3']));
      const lost = { code: 'LOG_TRUNCATED', message: expect.stringMatching(/^offset 1 of t\/0 /u) as string };
      expect(consumer.errors).toMatchObject([{ error: lost, partition: 0 }]);
      const newcomer = new Consumer();
      await newcomer.start(log, 'newcomer', 't');
      test.onTestFinished(() => newcomer.stop());
      await eventually(() => expect(newcomer.values).toEqual(['2', '3']));
      expect(newcomer.errors).toMatchObject([{ error: { code: 'LOG_TRUNCATED' } }]);
      expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(['2', '3']);
      expect(await collect(log.read({ topic: 't', partition: 0, from: 0, to: 2 }))).toEqual([]);
    });

    it('K1: what a transaction wrote counts when it was committed, also after much that was not', async (test) => {
      const settings = await temporarySettings();
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      const topic = `${settings.topicPrefix}t`;
      const producer = foreign(settings).producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
      await producer.connect();
      test.onTestFinished(() => producer.disconnect());
      const write = async (values: readonly string[], end: 'commit' | 'abort') => {
        const transaction = await producer.transaction();
        for (const value of values) await transaction.send({ topic, messages: [{ key: 'k', value }] });
        await transaction[end]();
      };
      await write(['first'], 'commit');
      // More than one fetch takes.
      await write(Array<string>(5).fill(randomBytes(350_000).toString('hex')), 'abort');
      await write(['second'], 'commit');
      await write(['never'], 'abort');
      const consumer = await consuming(test, log);
      await eventually(() => expect(consumer.values).toEqual(['first', 'second']));
      await log.append([record('t', 'k', 'third')]);
      await eventually(() => expect(consumer.values).toEqual(['first', 'second', 'third']));
      expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(consumer.values);
      const [head] = await log.heads(['t']);
      expect(consumer.status.partitions).toMatchObject([{ nextOffset: head?.offset, head: head?.offset }]);
    });

    it('a topic that takes less than others gets its records in smaller batches', async (test) => {
      const settings = await temporarySettings({ WHALE_KAFKA_COMPRESSION: 'none' });
      await createForeign(settings, 't', { 'max.message.bytes': '20000' });
      const log = await temporaryLog(test, settings);
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      const values = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(5_000)}`);
      await log.append(values.map((value) => record('t', 'k', value)));
      expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(values);
      const large = log.append([record('t', 'k', 'small'), record('t', 'k', 'x'.repeat(21_000))]);
      await expect(large).rejects.toMatchObject({ code: 'LOG_RECORD_TOO_LARGE' });
    });

    it.sequential('K4: nothing is printed', async (test) => {
      const timers = vi.spyOn(globalThis, 'setTimeout');
      const printed = vi.spyOn(console, 'log');
      const out = vi.spyOn(process.stdout, 'write');
      const err = vi.spyOn(process.stderr, 'write');
      test.onTestFinished(() => [printed, out, err, timers].forEach((spy) => spy.mockRestore()));
      const log = await temporaryLog(test, await temporarySettings());
      await log.ensureTopics([{ name: 't', partitions: 1 }]);
      await log.append([record('t', 'k', 'v')]);
      const consumer = await consuming(test, log);
      await eventually(() => expect(consumer.values).toEqual(['v']));
      await consumer.stop();
      for (const spy of [printed, out, err]) expect(spy).not.toHaveBeenCalled();
      // Node prints a warning of such from 24 on.
      expect(timers.mock.calls.filter(([, ms]) => ms !== undefined && ms < 0)).toEqual([]);
    });
  },
  { timeout: 60_000, concurrent: true },
);
