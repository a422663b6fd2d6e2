import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { EventLog, LogRecord } from '@whale/event-log';
import type { ContractTest } from './contract.ts';
import { readAll, record } from './fixture.ts';

/** What Kafka's default partitioner does with these keys on a topic of 6 partitions. */
const KAFKA_PARTITIONS_OF_6: Readonly<Record<string, number>> = {
  '21': 0,
  foobar: 0,
  'a-little-bit-long-string': 2,
  'a-little-bit-longer-string': 5,
  lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: 5,
  abc: 3,
};

export function orderContract(it: ContractTest): void {
  describe('order', () => {
    it('L1: a key always falls into the same partition', async (fixture) => {
      const log = await fixture.log();
      const other = await fixture.log();
      const topic = await fixture.topic(log, 5);
      const keys = Array.from({ length: 40 }, (_, index) => `experiment-${index}`);
      for (const writer of [log, other, log]) await writer.append(keys.map((key) => record(topic, key, 'v')));
      const seen = new Map<string, Set<number>>();
      for (const { key, partition } of await readAll(log, topic))
        seen.set(key, (seen.get(key) ?? new Set()).add(partition));
      expect([...seen.values()].every((set) => set.size === 1)).toBe(true);
      expect(new Set([...seen.values()].flatMap((set) => [...set])).size).toBe(5);
    });

    it('L1: keys fall where the default partitioner of Kafka puts them', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 6);
      await log.append(Object.keys(KAFKA_PARTITIONS_OF_6).map((key) => record(topic, key, 'v')));
      const found = (await readAll(log, topic)).map(({ key, partition }) => [key, partition]);
      expect(Object.fromEntries(found)).toEqual(KAFKA_PARTITIONS_OF_6);
    });

    it('L1, L2: many producers at once lose nothing, double nothing and keep the order of each', async (fixture) => {
      const logs = [await fixture.log(), await fixture.log(), await fixture.log()];
      const topic = await fixture.topic(logs[0] as EventLog, 4);
      const producers = Array.from({ length: 12 }, (_, index) => `producer-${index}`);
      await Promise.all(
        producers.map(async (producer, index) => {
          const log = logs[index % logs.length] as EventLog;
          for (let n = 0; n < 60; n += 3)
            await log.append([n, n + 1, n + 2].map((v) => record(topic, producer, `${v}`)));
        }),
      );
      const all = await readAll(logs[0] as EventLog, topic);
      const expected = Array.from({ length: 60 }, (_, n) => `${n}`);
      for (const producer of producers) expect(valuesOf(all, producer)).toEqual(expected);
      expect(all).toHaveLength(producers.length * 60);
    });

    it('L1: a writer that does not wait for its appends still keeps their order', async (fixture) => {
      const log = await fixture.log();
      const topic = await fixture.topic(log, 3);
      await Promise.all(Array.from({ length: 200 }, (_, n) => log.append([record(topic, 'k', `${n}`)])));
      expect(valuesOf(await readAll(log, topic), 'k')).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`));
    });

    it('L1: holds for any interleaving of batches from two connections (property)', async (fixture) => {
      const logs = [await fixture.log(), await fixture.log()];
      const topic = await fixture.topic(logs[0] as EventLog, 3);
      const batch = fc.record({
        writer: fc.nat(1),
        keys: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 }),
      });
      let run = 0;
      const property = fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 15 }), async (batches) => {
        const prefix = `run-${run++}`;
        const written = new Map<string, string[]>();
        let n = 0;
        let before: Promise<unknown> = Promise.resolve();
        let lastWriter = -1;
        for (const { writer, keys } of batches) {
          // Only across connections does somebody have to wait for the order to be defined.
          if (writer !== lastWriter) await before;
          lastWriter = writer;
          const records = keys.map((key) => record(topic, `${prefix}/${writer}/${key}`, `${n++}`));
          for (const { key, value } of records) written.set(key, [...(written.get(key) ?? []), value]);
          before = Promise.all([before, (logs[writer] as EventLog).append(records)]);
        }
        await before;
        const all = await readAll(logs[0] as EventLog, topic);
        for (const [key, values] of written) expect(valuesOf(all, key)).toEqual(values);
      });
      await fc.assert(property, { numRuns: 25 });
    });
  });
}

function valuesOf(records: readonly LogRecord[], key: string): string[] {
  return records.filter((each) => each.key === key).map(({ value }) => value);
}
