import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Consumer } from './consumer.ts';
import type { CurrentFixture } from './contract.ts';
import { keyPerPartition, record } from './fixture.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}`);

export function deliveryContract(current: CurrentFixture): void {
  const start = async (partitions: number, values: readonly string[] = []) => {
    const log = await current().log();
    const topic = await current().topic(log, partitions);
    await log.append(values.map((value) => record(topic, 'k', value)));
    return { log, topic, group: current().group() };
  };

  describe('delivery', () => {
    it('L3: begins at the start of the log and goes on with what comes', async () => {
      const { log, topic, group } = await start(3, numbers(0, 10));
      const consumer = await current().consumer(log, group, topic);
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 10)));
      await log.append(numbers(10, 20).map((value) => record(topic, 'k', value)));
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 20)));
      expect(consumer.assigned).toEqual([0, 1, 2]);
    });

    it('L3: delivers what another connection appends', async () => {
      const { log, topic, group } = await start(1);
      const consumer = await current().consumer(log, group, topic);
      const other = await current().log();
      await other.append(numbers(0, 5).map((value) => record(topic, 'k', value)));
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 5)));
    });

    it('L3: what was not checkpointed before a crash comes again', async () => {
      const { log, topic, group } = await start(1, numbers(0, 10));
      const first = await current().consumer(log, group, topic);
      await current().eventually(() => expect(first.values).toEqual(numbers(0, 10)));
      await first.stop();
      const second = await current().consumer(log, group, topic, new Consumer());
      await current().eventually(() => expect(second.values).toEqual(numbers(0, 10)));
    });

    it('L3: goes on at the checkpoint of the service, whatever it has delivered before', async () => {
      const { log, topic, group } = await start(1, numbers(0, 10));
      const first = await current().consumer(log, group, topic);
      await current().eventually(() => expect(first.values).toEqual(numbers(0, 10)));
      await first.stop();
      await log.append(numbers(10, 13).map((value) => record(topic, 'k', value)));
      const second = await current().consumer(log, group, topic, new Consumer(first.checkpoints));
      await current().eventually(() => expect(second.values).toEqual(numbers(10, 13)));
    });

    it('L3: a checkpoint set back rewinds', async () => {
      const { log, topic, group } = await start(1, numbers(0, 10));
      const first = await current().consumer(log, group, topic);
      await current().eventually(() => expect(first.values).toEqual(numbers(0, 10)));
      await first.stop();
      const rewound = new Consumer(new Map([[0, first.records[4]?.offset as number]]));
      await current().consumer(log, group, topic, rewound);
      await current().eventually(() => expect(rewound.values).toEqual(numbers(4, 10)));
      expect(rewound.asked).toEqual([0]);
    });

    it('L4: groups do not influence each other', async () => {
      const { log, topic } = await start(2, numbers(0, 10));
      const broken = new Consumer();
      broken.handler = () => Promise.reject(new Error('always'));
      await current().consumer(log, current().group(), topic, broken);
      const slow = new Consumer();
      slow.handler = () => sleep(50);
      await current().consumer(log, current().group(), topic, slow);
      const fast = await current().consumer(log, current().group(), topic);
      await current().eventually(() => {
        expect(fast.values).toEqual(numbers(0, 10));
        expect(slow.values).toEqual(numbers(0, 10));
        expect(broken.errors.length).toBeGreaterThan(1);
      });
      expect(broken.values).toEqual([]);
    });

    it('delivers one batch at a time, within the bound, with the offset to checkpoint', async () => {
      const { log, topic, group } = await start(3);
      const keys = await keyPerPartition(log, topic);
      for (const key of keys) await log.append(numbers(0, 25).map((value) => record(topic, key, value)));
      const consumer = new Consumer();
      consumer.handler = () => sleep(2);
      await consumer.start(log, group, topic, { maxBatchRecords: 10 });
      await current().eventually(() => expect(consumer.records).toHaveLength(75));
      await consumer.stop();
      expect(consumer.mostAtOnce).toBe(1);
      for (const { topic: of, partition, records, nextOffset } of consumer.batches) {
        expect(records.length).toBeLessThanOrEqual(10);
        expect(nextOffset).toBe((records.at(-1)?.offset as number) + 1);
        expect(records.every((each) => each.topic === of && each.partition === partition)).toBe(true);
      }
    });

    it('a subscription to several topics gets all of them', async () => {
      const { log, topic, group } = await start(2, ['a']);
      const second = await current().topic(log, 2);
      await log.append([record(second, 'k', 'b')]);
      const consumer = await new Consumer().start(log, group, topic, {
        topics: [topic, second],
        checkpoint: () => undefined,
      });
      await current().eventually(() => expect([...consumer.values].sort()).toEqual(['a', 'b']));
      await consumer.stop();
    });
  });

  describe('failing handlers', () => {
    it('L3: the same records come again until the handler takes them', async () => {
      const { log, topic, group } = await start(1, numbers(0, 3));
      const consumer = new Consumer();
      consumer.handler = async () => {
        if (consumer.batches.length <= 2) throw new Error(`failure ${consumer.batches.length}`);
      };
      await current().consumer(log, group, topic, consumer);
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 3)));
      await log.append([record(topic, 'k', '3')]);
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 4)));
      expect(consumer.errors.map(({ error }) => (error as Error).message)).toEqual(['failure 1', 'failure 2']);
      const [first, second, third] = consumer.batches.map(({ records }) => records.map(({ offset }) => offset));
      expect(second).toEqual(first);
      expect(third).toEqual(first);
    });

    it('L6: the other partitions go on meanwhile', async () => {
      const { log, topic, group } = await start(3);
      const keys = await keyPerPartition(log, topic);
      const poisoned = 1;
      for (const key of keys) await log.append(numbers(0, 5).map((value) => record(topic, key, value)));
      const consumer = new Consumer();
      let healed = false;
      consumer.handler = async ({ partition }) => {
        if (partition === poisoned && !healed) throw new Error('poison');
      };
      await current().consumer(log, group, topic, consumer, { maxBatchRecords: 1 });
      const of = (partition: number) => consumer.records.filter((each) => each.partition === partition);
      await current().eventually(() => expect([of(0).length, of(2).length]).toEqual([5, 5]));
      // By now the back-off is longer than a second: nobody else may have to wait for its end.
      await current().eventually(() => expect(consumer.errors.length).toBeGreaterThanOrEqual(5));
      const before = performance.now();
      for (const key of keys) await log.append(numbers(5, 10).map((value) => record(topic, key, value)));
      await current().eventually(() => expect([of(0).length, of(2).length]).toEqual([10, 10]));
      expect(performance.now() - before).toBeLessThan(1_200);
      expect(of(poisoned)).toEqual([]);
      expect(consumer.errors.every(({ partition }) => partition === poisoned)).toBe(true);
      healed = true;
      await current().eventually(() => expect(of(poisoned).map(({ value }) => value)).toEqual(numbers(0, 10)));
    });

    it('the pauses between failures grow', async () => {
      const { log, topic, group } = await start(1, numbers(0, 3));
      const times: number[] = [];
      const consumer = new Consumer();
      consumer.handler = async () => {
        times.push(performance.now());
        throw new Error('always');
      };
      await current().consumer(log, group, topic, consumer);
      await current().eventually(() => expect(times.length).toBeGreaterThanOrEqual(4));
      const pauses = times.slice(1, 4).map((time, index) => time - (times[index] as number));
      expect(Math.min(...pauses)).toBeGreaterThan(50);
      expect(pauses[2]).toBeGreaterThan((pauses[0] as number) * 1.5);
    });

    it('a checkpoint that cannot be read is asked for again', async () => {
      const { log, topic, group } = await start(1, numbers(0, 3));
      let asked = 0;
      const consumer = await new Consumer().start(log, group, topic, {
        checkpoint: async () => {
          if (++asked === 1) throw new Error('no database yet');
          return undefined;
        },
      });
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 3)));
      expect(consumer.errors).toHaveLength(1);
      await consumer.stop();
    });

    it('a handler that throws at once, and an error reporter that throws, end nothing', async () => {
      const { log, topic, group } = await start(1, numbers(0, 3));
      const consumer = new Consumer();
      let calls = 0;
      await consumer.start(log, group, topic, {
        onBatch: ({ records }) => {
          if (++calls === 1) throw new Error('not even a promise');
          consumer.records.push(...records);
          return Promise.resolve();
        },
        onError: () => {
          throw new Error('reporter');
        },
      });
      await current().eventually(() => expect(consumer.values).toEqual(numbers(0, 3)));
      await consumer.stop();
    });
  });

  describe('stop', () => {
    it('waits for the handler, delivers nothing afterwards and revokes each partition once', async () => {
      const { log, topic, group } = await start(2, numbers(0, 3));
      const consumer = new Consumer();
      let finish = () => {};
      consumer.handler = () => new Promise((resolve) => (finish = resolve));
      await current().consumer(log, group, topic, consumer);
      await current().eventually(() => expect(consumer.batches).toHaveLength(1));
      let stopped = false;
      const stopping = consumer.stop().then(() => (stopped = true));
      await sleep(100);
      expect(stopped).toBe(false);
      finish();
      await stopping;
      expect(consumer.values).toEqual(numbers(0, 3));
      await log.append([record(topic, 'k', 'late')]);
      await sleep(200);
      expect(consumer.batches).toHaveLength(1);
      expect(consumer.assigned).toEqual([]);
      expect(consumer.revoked.map(({ partition }) => partition).sort()).toEqual([0, 1]);
      await consumer.stop();
    });

    it('does not wait for a back-off', async () => {
      const { log, topic, group } = await start(1, numbers(0, 3));
      const consumer = new Consumer();
      consumer.handler = () => Promise.reject(new Error('always'));
      await current().consumer(log, group, topic, consumer);
      await current().eventually(() => expect(consumer.errors.length).toBeGreaterThanOrEqual(4));
      const before = performance.now();
      await consumer.stop();
      expect(performance.now() - before).toBeLessThan(Math.max(500, current().harness.settleMs / 10));
    });

    it('closing the log stops its subscriptions', async () => {
      const { log, topic, group } = await start(1, numbers(0, 3));
      const other = await current().log();
      const consumer = new Consumer();
      let running = false;
      consumer.handler = async () => {
        running = true;
        await sleep(50);
        running = false;
      };
      await current().consumer(log, group, topic, consumer);
      await current().eventually(() => expect(consumer.batches).toHaveLength(1));
      await log.close();
      expect(running).toBe(false);
      await other.append([record(topic, 'k', 'late')]);
      await sleep(200);
      expect(consumer.values).toEqual(numbers(0, 3));
    });
  });
}
