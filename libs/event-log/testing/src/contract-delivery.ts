import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { BackOff } from '@whale/event-log';
import { Consumer } from './consumer.ts';
import type { ContractTest } from './contract.ts';
import { keyPerPartition, record, type Fixture } from './fixture.ts';

/** A test that waited for the end of one would not end. */
const ENDLESS: BackOff = { firstMs: 3_600_000, longestMs: 3_600_000 };
const CLOCKS_DIFFER_MS = 5;

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `${from + index}`);

export function deliveryContract(it: ContractTest): void {
  const start = async (
    fixture: Fixture,
    partitions: number,
    values: readonly string[] = [],
    options: Parameters<Fixture['log']>[0] = {},
  ) => {
    const log = await fixture.log(options);
    const topic = await fixture.topic(log, partitions);
    await log.append(values.map((value) => record(topic, 'k', value)));
    return { log, topic, group: fixture.group() };
  };

  describe('delivery', () => {
    it('L3: begins at the start of the log and goes on with what comes', async (fixture) => {
      const { log, topic, group } = await start(fixture, 3, numbers(0, 10));
      const consumer = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 10)));
      await log.append(numbers(10, 20).map((value) => record(topic, 'k', value)));
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 20)));
      expect(consumer.assigned).toEqual([0, 1, 2]);
    });

    it('L3: delivers what another connection appends', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1);
      const consumer = await fixture.consumer(log, group, topic);
      const other = await fixture.log();
      await other.append(numbers(0, 5).map((value) => record(topic, 'k', value)));
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 5)));
    });

    it('L3: what was not checkpointed before a crash comes again', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 10));
      const first = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => expect(first.values).toEqual(numbers(0, 10)));
      await first.stop();
      const second = await fixture.consumer(log, group, topic, new Consumer());
      await fixture.eventually(() => expect(second.values).toEqual(numbers(0, 10)));
    });

    it('L3: goes on at the checkpoint of the service, whatever it has delivered before', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 10));
      const first = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => expect(first.values).toEqual(numbers(0, 10)));
      await first.stop();
      await log.append(numbers(10, 13).map((value) => record(topic, 'k', value)));
      const second = await fixture.consumer(log, group, topic, new Consumer(first.checkpoints));
      await fixture.eventually(() => expect(second.values).toEqual(numbers(10, 13)));
    });

    it('L3: a checkpoint set back rewinds', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 10));
      const first = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => expect(first.values).toEqual(numbers(0, 10)));
      await first.stop();
      const rewound = new Consumer(new Map([[0, first.records[4]?.offset as number]]));
      await fixture.consumer(log, group, topic, rewound);
      await fixture.eventually(() => expect(rewound.values).toEqual(numbers(4, 10)));
      expect(rewound.asked).toEqual([0]);
    });

    it('L4: groups do not influence each other', async (fixture) => {
      const { log, topic } = await start(fixture, 2, numbers(0, 10));
      const broken = new Consumer();
      broken.handler = () => Promise.reject(new Error('always'));
      await fixture.consumer(log, fixture.group(), topic, broken);
      const slow = new Consumer();
      slow.handler = () => sleep(50);
      await fixture.consumer(log, fixture.group(), topic, slow);
      const fast = await fixture.consumer(log, fixture.group(), topic);
      await fixture.eventually(() => {
        expect(fast.values).toEqual(numbers(0, 10));
        expect(slow.values).toEqual(numbers(0, 10));
        expect(broken.errors.length).toBeGreaterThan(1);
      });
      expect(broken.values).toEqual([]);
    });

    it('delivers one batch at a time, within the bound, with the offset to checkpoint', async (fixture) => {
      const { log, topic, group } = await start(fixture, 3);
      const keys = await keyPerPartition(log, topic);
      for (const key of keys) await log.append(numbers(0, 25).map((value) => record(topic, key, value)));
      const consumer = new Consumer();
      consumer.handler = () => sleep(2);
      await consumer.start(log, group, topic, { maxBatchRecords: 10 });
      await fixture.eventually(() => expect(consumer.records).toHaveLength(75));
      await consumer.stop();
      expect(consumer.mostAtOnce).toBe(1);
      for (const { topic: of, partition, records, nextOffset } of consumer.batches) {
        expect(records.length).toBeLessThanOrEqual(10);
        expect(nextOffset).toBe((records.at(-1)?.offset as number) + 1);
        expect(records.every((each) => each.topic === of && each.partition === partition)).toBe(true);
      }
    });

    it('a subscription to several topics gets all of them', async (fixture) => {
      const { log, topic, group } = await start(fixture, 2, ['a']);
      const second = await fixture.topic(log, 2);
      await log.append([record(second, 'k', 'b')]);
      const consumer = await new Consumer().start(log, group, topic, {
        topics: [topic, second],
        checkpoint: () => undefined,
      });
      await fixture.eventually(() => expect([...consumer.values].sort()).toEqual(['a', 'b']));
      await consumer.stop();
    });
  });

  describe('failing handlers', () => {
    it('L3: the same records come again until the handler takes them', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 3));
      const consumer = new Consumer();
      consumer.handler = async () => {
        if (consumer.batches.length <= 2) throw new Error(`failure ${consumer.batches.length}`);
      };
      await fixture.consumer(log, group, topic, consumer);
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 3)));
      await log.append([record(topic, 'k', '3')]);
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 4)));
      expect(consumer.errors.map(({ error }) => (error as Error).message)).toEqual(['failure 1', 'failure 2']);
      const [first, second, third] = consumer.batches.map(({ records }) => records.map(({ offset }) => offset));
      expect(second).toEqual(first);
      expect(third).toEqual(first);
    });

    it('L6: the other partitions go on meanwhile', async (fixture) => {
      const { log, topic, group } = await start(fixture, 3, [], { backOff: ENDLESS });
      const keys = await keyPerPartition(log, topic);
      const append = (from: number, to: number) =>
        log.append(keys.flatMap((key) => numbers(from, to).map((value) => record(topic, key, value))));
      const poisoned = 1;
      const consumer = new Consumer();
      consumer.handler = async ({ partition }) => {
        if (partition === poisoned) throw new Error('poison');
      };
      await append(0, 5);
      await fixture.consumer(log, group, topic, consumer, { maxBatchRecords: 1 });
      const counts = () => [0, 1, 2].map((of) => consumer.records.filter(({ partition }) => partition === of).length);
      await fixture.eventually(() => {
        expect(counts()).toEqual([5, 0, 5]);
        expect(consumer.errors).toHaveLength(1);
      });
      // While it is paused, too, nobody waits for it.
      await append(5, 10);
      await fixture.eventually(() => expect(counts()).toEqual([10, 0, 10]));
      expect(consumer.errors.map(({ partition }) => partition)).toEqual([poisoned]);
    });

    it('the pauses between failures grow', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 3), {
        backOff: { firstMs: 40, longestMs: 160 },
      });
      const times: number[] = [];
      const consumer = new Consumer();
      consumer.handler = async () => {
        times.push(performance.now());
        throw new Error('always');
      };
      await fixture.consumer(log, group, topic, consumer);
      await fixture.eventually(() => expect(times.length).toBeGreaterThanOrEqual(5));
      // On a busy machine each may be longer, none shorter.
      for (const [index, least] of [40, 80, 160, 160].entries()) {
        expect((times[index + 1] as number) - (times[index] as number)).toBeGreaterThan(least - CLOCKS_DIFFER_MS);
      }
    });

    it('a checkpoint that cannot be read is asked for again', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 3));
      let asked = 0;
      const consumer = await new Consumer().start(log, group, topic, {
        checkpoint: async () => {
          if (++asked === 1) throw new Error('no database yet');
          return undefined;
        },
      });
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 3)));
      expect(consumer.errors).toHaveLength(1);
      await consumer.stop();
    });

    it('a handler that throws at once, and an error reporter that throws, end nothing', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 3));
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
      await fixture.eventually(() => expect(consumer.values).toEqual(numbers(0, 3)));
      await consumer.stop();
    });
  });

  describe('stop', () => {
    it('waits for the handler, delivers nothing afterwards and revokes each partition once', async (fixture) => {
      const { log, topic, group } = await start(fixture, 2, numbers(0, 3));
      const consumer = new Consumer();
      let finish = () => {};
      consumer.handler = () => new Promise((resolve) => (finish = resolve));
      await fixture.consumer(log, group, topic, consumer);
      await fixture.eventually(() => expect(consumer.batches).toHaveLength(1));
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

    it('does not wait for a back-off', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 3), { backOff: ENDLESS });
      const consumer = new Consumer();
      consumer.handler = () => Promise.reject(new Error('always'));
      await fixture.consumer(log, group, topic, consumer);
      await fixture.eventually(() => expect(consumer.errors).toHaveLength(1));
      await consumer.stop();
      expect(consumer.batches).toHaveLength(1);
    });

    it('closing the log stops its subscriptions', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1, numbers(0, 3));
      const other = await fixture.log();
      const consumer = new Consumer();
      let running = false;
      consumer.handler = async () => {
        running = true;
        await sleep(50);
        running = false;
      };
      await fixture.consumer(log, group, topic, consumer);
      await fixture.eventually(() => expect(consumer.batches).toHaveLength(1));
      await log.close();
      expect(running).toBe(false);
      await other.append([record(topic, 'k', 'late')]);
      await sleep(200);
      expect(consumer.values).toEqual(numbers(0, 3));
    });
  });
}
