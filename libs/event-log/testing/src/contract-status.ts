import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { SubscriptionStatus } from '@whale/event-log';
import { Consumer } from './consumer.ts';
import type { ContractTest } from './contract.ts';
import { record, type Fixture } from './fixture.ts';

/** Records not yet handled, over all partitions; undefined while one of them is unknown. */
function lagOf({ partitions }: SubscriptionStatus): number | undefined {
  let lag = 0;
  for (const { head, nextOffset } of partitions) {
    if (head === undefined || nextOffset === undefined) return undefined;
    lag += head - nextOffset;
  }
  return lag;
}

export function statusContract(it: ContractTest): void {
  const start = async (
    fixture: Fixture,
    partitions: number,
    consumer: Consumer,
    records = 0,
    options: Parameters<Fixture['log']>[0] = {},
  ) => {
    const log = await fixture.log(options);
    const topic = await fixture.topic(log, partitions);
    const append = (count: number) =>
      log.append(Array.from({ length: count }, (_, index) => record(topic, `k${index}`, `${index}`)));
    await append(records);
    await fixture.consumer(log, fixture.group(), topic, consumer, { maxBatchRecords: 2 });
    return { topic, append };
  };

  describe('status', () => {
    it('names the partitions held, and a lag that grows with what waits and falls to 0', async (fixture) => {
      const consumer = new Consumer();
      let open = () => {};
      const gate = new Promise<void>((resolve) => (open = resolve));
      consumer.handler = () => gate;
      const { topic } = await start(fixture, 3, consumer, 20);
      await fixture.eventually(() => expect(consumer.batches).toHaveLength(1));
      await fixture.eventually(() => {
        const heads = consumer.status.partitions.map(({ head }) => head ?? 0);
        expect(heads.reduce((sum, head) => sum + head, 0)).toBe(20);
      });
      const handled = consumer.status.partitions.map(({ nextOffset }) => nextOffset ?? 0);
      expect(handled).toEqual([0, 0, 0]);
      open();
      await fixture.eventually(() => expect(consumer.records).toHaveLength(20));
      await fixture.eventually(() => expect(lagOf(consumer.status)).toBe(0));
      const { partitions } = consumer.status;
      expect(partitions.map((each) => [each.topic, each.partition])).toEqual([0, 1, 2].map((each) => [topic, each]));
    });

    it('knows an empty partition to have no lag', async (fixture) => {
      const consumer = new Consumer();
      await start(fixture, 2, consumer);
      await fixture.eventually(() => {
        expect(consumer.status.partitions).toHaveLength(2);
        expect(lagOf(consumer.status)).toBe(0);
      });
    });

    it('shows life without work', async (fixture) => {
      const consumer = new Consumer();
      await start(fixture, 1, consumer);
      const before = consumer.status.aliveAt;
      expect(Math.abs(Date.now() - before)).toBeLessThan(60_000);
      await fixture.eventually(() => expect(consumer.status.aliveAt).toBeGreaterThan(before));
      expect(consumer.status.handlingSince).toBeNull();
    });

    it('shows since when a handler runs that never returns', async (fixture) => {
      const consumer = new Consumer();
      let finish = () => {};
      consumer.handler = () => new Promise((resolve) => (finish = resolve));
      const before = Date.now();
      await start(fixture, 1, consumer, 1);
      await fixture.eventually(() => expect(consumer.status.handlingSince).not.toBeNull());
      const { handlingSince } = consumer.status;
      expect(handlingSince).toBeGreaterThanOrEqual(before);
      await sleep(300);
      expect(consumer.status.handlingSince).toBe(handlingSince);
      finish();
      await fixture.eventually(() => expect(consumer.status.handlingSince).toBeNull());
    });

    it('shows life and no handler while deliveries fail', async (fixture) => {
      const consumer = new Consumer();
      consumer.handler = () => Promise.reject(new Error('always'));
      await start(fixture, 1, consumer, 1, { backOff: { firstMs: 20, longestMs: 50 } });
      await fixture.eventually(() => expect(consumer.errors.length).toBeGreaterThan(2));
      const { aliveAt, handlingSince, partitions } = consumer.status;
      expect(handlingSince).toBeNull();
      expect(partitions.map(({ nextOffset, head }) => [nextOffset, head])).toEqual([[0, 1]]);
      await fixture.eventually(() => expect(consumer.status.aliveAt).toBeGreaterThan(aliveAt));
    });
  });
}
