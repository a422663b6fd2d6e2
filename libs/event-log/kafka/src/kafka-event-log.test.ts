import { randomBytes } from 'node:crypto';
import { Kafka, logLevel, type Message } from 'kafkajs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { collect, Consumer, keyPerPartition, readAll, record } from '@whale/event-log-testing';
import { describeKafka } from '@whale/kafka-broker/testing';
import type { KafkaEventLog } from './kafka-event-log.ts';
import type { KafkaSettings } from './settings.ts';
import { temporaryLog, temporarySettings } from './support/temporary.ts';

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 25_000, interval: 20 });

/** Another client, that knows nothing of us. */
function foreign({ brokers }: KafkaSettings): Kafka {
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
}

async function writeForeign(settings: KafkaSettings, topic: string, messages: Message[]): Promise<void> {
  vi.stubEnv('KAFKAJS_NO_PARTITIONER_WARNING', '1');
  const producer = foreign(settings).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  await producer.send({ topic: settings.topicPrefix + topic, messages });
  await producer.disconnect();
}

async function consuming(log: KafkaEventLog, topic: string, consumer = new Consumer(), group = 'g'): Promise<Consumer> {
  await consumer.start(log, group, topic);
  onTestFinished(() => consumer.stop());
  return consumer;
}

describeKafka('the log on Kafka', () => {
  it('K1: whatever a foreign writer puts on a topic is handed on as text, and the partition goes on', async () => {
    const settings = await temporarySettings();
    const log = await temporaryLog(settings);
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await writeForeign(settings, 't', [
      { key: null, value: null },
      { key: Buffer.from([0xff, 0xfe]), value: Buffer.from([0xc3, 0x28, 0x00, 0x41]) },
      { key: 'k', value: 'v', headers: { twice: ['a', 'b'], raw: Buffer.from([0xff]) } },
    ]);
    await log.append([record('t', 'k', 'good')]);
    const consumer = await consuming(log, 't');
    await eventually(() => expect(consumer.records).toHaveLength(4));
    const seen = consumer.records.map(({ key, value, headers }) => ({ key, value, headers }));
    expect(seen).toEqual([
      { key: '', value: '', headers: {} },
      { key: '\ufffd\ufffd', value: '\ufffd(\0A', headers: {} },
      { key: 'k', value: 'v', headers: { twice: 'b', raw: '\ufffd' } },
      { key: 'k', value: 'good', headers: {} },
    ]);
    expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(consumer.values);
    expect(consumer.errors).toEqual([]);
  });

  it('lies on the topic as others read it: CloudEvents headers, key, JSON text', async () => {
    const settings = await temporarySettings();
    const log = await temporaryLog(settings);
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await log.append([record('t', 'exp-1', '{"n":1}', { ce_id: 'x', 'content-type': 'application/json' })]);
    const consumer = foreign(settings).consumer({ groupId: `${settings.groupPrefix}foreign` });
    await consumer.connect();
    onTestFinished(() => consumer.disconnect());
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

  it.each(['none', 'gzip'])(
    'a record that is too large is refused, and fails no other call (%s)',
    async (compression) => {
      const settings = await temporarySettings({ WHALE_KAFKA_COMPRESSION: compression });
      const log = await temporaryLog(settings);
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

  it('an append of many MB is cut into requests, in order', async () => {
    const log = await temporaryLog(await temporarySettings({ WHALE_KAFKA_COMPRESSION: 'none' }));
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

  it('K5: begins where the checkpoint says, whatever is committed to Kafka; and commits for lag tools', async () => {
    const settings = await temporarySettings();
    const log = await temporaryLog(settings);
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await log.append(['0', '1', '2', '3'].map((value) => record('t', 'k', value)));
    const first = await consuming(log, 't');
    await eventually(() => expect(first.values).toHaveLength(4));
    await first.stop();
    const admin = foreign(settings).admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    const committed = await admin.fetchOffsets({
      groupId: `${settings.groupPrefix}g`,
      topics: [`${settings.topicPrefix}t`],
    });
    expect(committed[0]?.partitions).toMatchObject([{ partition: 0, offset: '4' }]);
    const rewound = await consuming(log, 't', new Consumer(new Map([[0, 1]])));
    await eventually(() => expect(rewound.values).toEqual(['1', '2', '3']));
    await rewound.stop();
    const beyond = await consuming(log, 't', new Consumer(new Map([[0, 9]])));
    await eventually(() => expect(beyond.errors[0]?.error).toMatchObject({ code: 'LOG_CORRUPT' }));
    expect(beyond.values).toEqual([]);
  });

  it('what retention has deleted is passed over', async () => {
    const settings = await temporarySettings();
    const log = await temporaryLog(settings);
    await log.ensureTopics([{ name: 't', partitions: 1, retentionMs: 3_600_000 }]);
    await log.append(['0', '1', '2', '3'].map((value) => record('t', 'k', value)));
    const admin = foreign(settings).admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    // kafkajs looks for the leader without having asked who it is.
    await admin.fetchTopicOffsets(`${settings.topicPrefix}t`);
    await admin.deleteTopicRecords({ topic: `${settings.topicPrefix}t`, partitions: [{ partition: 0, offset: '2' }] });
    const consumer = await consuming(log, 't', new Consumer(new Map([[0, 1]])));
    await eventually(() => expect(consumer.values).toEqual(['2', '3']));
    expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(['2', '3']);
    expect(await collect(log.read({ topic: 't', partition: 0, from: 0, to: 2 }))).toEqual([]);
  });

  it.each([1, 2, 4])('L3, L5: %i members together see each record once', async (count) => {
    const settings = await temporarySettings();
    const log = await temporaryLog(settings);
    await log.ensureTopics([{ name: 't', partitions: 6 }]);
    const keys = await keyPerPartition(log, 't');
    const checkpoints = new Map<number, number>();
    const members: Consumer[] = [];
    for (let n = 0; n < count; n++) {
      members.push(await consuming(await temporaryLog(settings), 't', Object.assign(new Consumer(), { checkpoints })));
      await log.append(keys.map((key) => record('t', key, `${n}`)));
    }
    await eventually(() => {
      const seen = members.flatMap(({ records }) => records.map(({ partition, value }) => `${partition}:${value}`));
      expect(new Set(seen).size).toBe(6 * count);
      expect(seen).toHaveLength(6 * count);
      expect(members.map(({ assigned }) => assigned.length).sort()).toEqual(
        { 1: [6], 2: [3, 3], 4: [1, 1, 2, 2] }[count],
      );
    });
  });

  it('a member that joins takes over its share; the others keep the rest without asking for a checkpoint again', async () => {
    const settings = await temporarySettings();
    const log = await temporaryLog(settings);
    await log.ensureTopics([{ name: 't', partitions: 4 }]);
    const first = await consuming(log, 't');
    await eventually(() => expect(first.asked).toHaveLength(4));
    const second = await consuming(await temporaryLog(settings), 't');
    await eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]));
    expect(first.revoked).toHaveLength(2);
    expect(first.asked).toHaveLength(4);
    await second.stop();
    await eventually(() => expect(first.assigned).toHaveLength(4));
    await eventually(() => expect(first.asked).toHaveLength(6));
  });

  it('K3: a handler longer than the session is not thrown out, and its records come once', async () => {
    const log = await temporaryLog(await temporarySettings({ WHALE_KAFKA_SESSION_TIMEOUT_MS: '6000' }));
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await log.append([record('t', 'k', 'slow')]);
    const consumer = new Consumer();
    consumer.handler = () => new Promise((resolve) => setTimeout(resolve, 9_000));
    await consuming(log, 't', consumer);
    await eventually(() => expect(consumer.values).toEqual(['slow']));
    expect(consumer.batches).toHaveLength(1);
    expect(consumer.revoked).toEqual([]);
  });

  it('K4: nothing is printed', async () => {
    const printed = vi.spyOn(console, 'log');
    const out = vi.spyOn(process.stdout, 'write');
    const err = vi.spyOn(process.stderr, 'write');
    onTestFinished(() => [printed, out, err].forEach((spy) => spy.mockRestore()));
    const log = await temporaryLog(await temporarySettings());
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await log.append([record('t', 'k', 'v')]);
    const consumer = await consuming(log, 't');
    await eventually(() => expect(consumer.values).toEqual(['v']));
    await consumer.stop();
    for (const spy of [printed, out, err]) expect(spy).not.toHaveBeenCalled();
  });
});
