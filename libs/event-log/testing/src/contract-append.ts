import { describe, expect } from 'vitest';
import type { EventLog } from '@whale/event-log';
import type { ContractTest } from './contract.ts';
import { collect, readAll, record } from './fixture.ts';

export function appendContract(it: ContractTest): void {
  describe('append and read', () => {
    it('L2: writes nothing when one of its topics is unknown', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 3);
      const batch = [record(topic, 'a', '1'), record('no-such-topic', 'b', '2'), record(topic, 'c', '3')];
      await expect(log.append(batch)).rejects.toMatchObject({ name: 'LogError', code: 'LOG_UNKNOWN_TOPIC' });
      expect(await readAll(log, topic)).toEqual([]);
    });

    it('L2: is visible to everybody once it has returned', async (fixture) => {
      const log = await fixture.log();
      const other = await fixture.log();
      const topic = await fixture.topic(log, 3);
      const values = Array.from({ length: 50 }, (_, index) => `v${index}`);
      await log.append(values.map((value) => record(topic, value, value)));
      expect((await readAll(other, topic)).map(({ value }) => value).sort()).toEqual([...values].sort());
    });

    it('L2: offsets rise within a partition', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 2);
      for (let round = 0; round < 5; round++) {
        await log.append(Array.from({ length: 8 }, (_, index) => record(topic, `${round}/${index}`, 'v')));
      }
      for (const partition of [0, 1]) {
        const offsets = (await collect(log.read({ topic, partition, from: 0 }))).map(({ offset }) => offset);
        expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
      }
    });

    it('takes an empty append as nothing to do', async (fixture) => {
      const log = await fixture.log();
      await expect(log.append([])).resolves.toBeUndefined();
    });

    it('gives keys, values and headers back as they were', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 1);
      const texts = ['', 'plain', 'Ærøskøbing 鯨 🐋 e\u0301', 'a\0b', '"\\\n\t', '🐋'.repeat(1000)];
      const records = texts.map((text) =>
        record(topic, text, text, { ce_id: text, 'content-type': 'application/json' }),
      );
      await log.append(records);
      const back = await readAll(log, topic);
      expect(back.map(({ key, value, headers }) => ({ topic, key, value, headers }))).toEqual(records);
      expect(back.every(({ timestamp }) => Math.abs(timestamp - Date.now()) < 3_600_000)).toBe(true);
    });

    it('takes values of 1 MB', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 1);
      const values = ['a', 'b', 'c'].map((letter) => letter.repeat(1_000_000));
      for (const value of values) await log.append([record(topic, 'k', value)]);
      const back = (await readAll(log, topic)).map(({ value }) => value);
      expect(back.map((value) => [value.length, value[0]])).toEqual(values.map((value) => [value.length, value[0]]));
    });
  });

  describe('heads and ranges', () => {
    it('heads are 0 on an empty topic and the earliest next offset after appends', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 3);
      const empty = [0, 1, 2].map((partition) => ({ topic, partition, offset: 0 }));
      expect(await log.heads([topic])).toEqual(empty);
      await log.append([record(topic, 'a', '1'), record(topic, 'a', '2')]);
      const [first] = await readAll(log, topic);
      const partition = first?.partition as number;
      const head = await headOf(log, topic, partition);
      expect(head).toBeGreaterThanOrEqual(2);
      await log.append([record(topic, 'a', '3')]);
      const last = (await readAll(log, topic)).at(-1);
      expect(last?.offset).toBeGreaterThanOrEqual(head);
      expect(await headOf(log, topic, partition)).toBeGreaterThan(last?.offset as number);
    });

    it('reads from inclusive to exclusive', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 1);
      await log.append(['0', '1', '2', '3', '4'].map((value) => record(topic, 'k', value)));
      const offsets = (await readAll(log, topic)).map(({ offset }) => offset) as [
        number,
        number,
        number,
        number,
        number,
      ];
      const range = await collect(log.read({ topic, partition: 0, from: offsets[1], to: offsets[3] }));
      expect(range.map(({ value }) => value)).toEqual(['1', '2']);
      expect(await collect(log.read({ topic, partition: 0, from: offsets[2], to: offsets[2] }))).toEqual([]);
      expect(await collect(log.read({ topic, partition: 0, from: offsets[4] + 1000 }))).toEqual([]);
    });

    it('reads, when no end is given, to the head at the time of the call', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 1);
      await log.append(Array.from({ length: 600 }, (_, index) => record(topic, 'k', String(index))));
      const reading = log.read({ topic, partition: 0, from: 0 })[Symbol.asyncIterator]();
      const first = await reading.next();
      await log.append([record(topic, 'k', 'later')]);
      const values = [first.value?.value];
      for (let next = await reading.next(); next.done !== true; next = await reading.next())
        values.push(next.value.value);
      expect(values).toEqual(Array.from({ length: 600 }, (_, index) => String(index)));
    });
  });

  describe('topics', () => {
    it('names an unknown topic wherever it is used', async (fixture) => {
      const log = await fixture.log();
      const unknown = { name: 'LogError', code: 'LOG_UNKNOWN_TOPIC', message: expect.stringContaining('nowhere') };
      await expect(log.append([record('nowhere', 'k', 'v')])).rejects.toMatchObject(unknown);
      await expect(log.heads(['nowhere'])).rejects.toMatchObject(unknown);
      await expect(collect(log.read({ topic: 'nowhere', partition: 0, from: 0 }))).rejects.toMatchObject(unknown);
      const subscription = { group: 'g', topics: ['nowhere'], checkpoint: () => undefined, onBatch: async () => {} };
      await expect(log.subscribe(subscription)).rejects.toMatchObject(unknown);
    });

    it('names a partition that the topic does not have', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 2);
      await expect(collect(log.read({ topic, partition: 2, from: 0 }))).rejects.toMatchObject({
        code: 'LOG_UNKNOWN_TOPIC',
      });
    });

    it('creates topics once, keeps what is there, accepts fewer partitions and refuses more', async (fixture) => {
      const log = await fixture.log();
      const name = await fixture.topic(log, 3);
      await log.append([record(name, 'k', 'v')]);
      await log.ensureTopics([{ name, partitions: 3 }]);
      await log.ensureTopics([{ name, partitions: 1 }]);
      expect(await log.heads([name])).toHaveLength(3);
      expect(await readAll(log, name)).toHaveLength(1);
      const tooMany = log.ensureTopics([{ name, partitions: 4 }]);
      await expect(tooMany).rejects.toMatchObject({ name: 'LogError', code: 'LOG_TOPIC_INVALID' });
      expect(await log.heads([name])).toHaveLength(3);
    });

    it('lets several create the same topic at once', async (fixture) => {
      const logs = [await fixture.log(), await fixture.log(), await fixture.log()];
      const name = await fixture.topic(logs[0] as EventLog, 1);
      const names = [`${name}-x`, `${name}-y`];
      await Promise.all(logs.map((log) => log.ensureTopics(names.map((each) => ({ name: each, partitions: 2 })))));
      for (const log of logs) expect(await log.heads(names)).toHaveLength(4);
    });

    it('refuses a topic name that Kafka refuses', async (fixture) => {
      const log = await fixture.log();
      for (const name of ['', 'with blank', 'slash/', '.']) {
        await expect(log.ensureTopics([{ name, partitions: 1 }])).rejects.toMatchObject({ code: 'LOG_TOPIC_INVALID' });
      }
    });
  });

  describe('close', () => {
    it('refuses everything afterwards and may be called twice', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 1);
      await log.close();
      await log.close();
      const closed = { name: 'LogError', code: 'LOG_CLOSED' };
      await expect(log.append([record(topic, 'k', 'v')])).rejects.toMatchObject(closed);
      await expect(log.heads([topic])).rejects.toMatchObject(closed);
      await expect(log.ensureTopics([{ name: topic, partitions: 1 }])).rejects.toMatchObject(closed);
      await expect(collect(log.read({ topic, partition: 0, from: 0 }))).rejects.toMatchObject(closed);
      const subscription = { group: 'g', topics: [topic], checkpoint: () => undefined, onBatch: async () => {} };
      await expect(log.subscribe(subscription)).rejects.toMatchObject(closed);
    });

    it('finishes the appends that are under way', async (fixture) => {
      const log = await fixture.log();
      const other = await fixture.log();
      const topic = await fixture.topic(log, 1);
      const appends = Array.from({ length: 20 }, (_, index) => log.append([record(topic, 'k', String(index))]));
      await log.close();
      await Promise.all(appends);
      expect(await readAll(other, topic)).toHaveLength(20);
    });
  });
}

async function headOf(log: EventLog, topic: string, partition: number): Promise<number> {
  return (await log.heads([topic])).find((head) => head.partition === partition)?.offset ?? -1;
}
