import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Child } from './child.ts';
import { Consumer } from './consumer.ts';
import type { ConsumerChildMessage } from './consumer-child.ts';
import type { CurrentFixture } from './contract.ts';
import { keyPerPartition, record } from './fixture.ts';

export function memberContract(current: CurrentFixture): void {
  const start = async (partitions: number) => {
    const log = await current().log();
    const topic = await current().topic(log, partitions);
    const keys = await keyPerPartition(log, topic);
    const append = (value: string) => log.append(keys.map((key) => record(topic, key, value)));
    return { log, topic, group: current().group(), append };
  };

  describe('members of a group', () => {
    it('L5: share the partitions fairly, each partition with one of them', async () => {
      const { log, topic, group, append } = await start(6);
      const first = await current().consumer(log, group, topic);
      await current().eventually(() => expect(first.assigned).toHaveLength(6));
      const second = await current().consumer(await current().log(), group, topic);
      await current().eventually(() => {
        expect([first.assigned.length, second.assigned.length]).toEqual([3, 3]);
        expect([...first.assigned, ...second.assigned].sort()).toEqual([0, 1, 2, 3, 4, 5]);
      });
      expect(first.revoked.length).toBeGreaterThanOrEqual(3);
      await append('shared');
      await current().eventually(() => {
        const all = [...first.records, ...second.records].map(({ partition }) => partition).sort();
        expect(all).toEqual([0, 1, 2, 3, 4, 5]);
      });
      expect(first.records.every(({ partition }) => first.assigned.includes(partition))).toBe(true);
    });

    it('L5: two subscriptions of one connection are two members', async () => {
      const { log, topic, group } = await start(4);
      const first = await current().consumer(log, group, topic);
      const second = await current().consumer(log, group, topic);
      await current().eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]));
    });

    it('L5: more members than partitions leave some with nothing', async () => {
      const { log, topic, group } = await start(1);
      const members = [1, 2, 3].map(() => new Consumer());
      for (const member of members) await current().consumer(log, group, topic, member);
      const held = () => members.map(({ assigned }) => assigned.length).sort();
      await current().eventually(() => expect(held()).toEqual([0, 0, 1]));
      await members.find(({ assigned }) => assigned.length === 1)?.stop();
      await current().eventually(() => expect(held()).toEqual([0, 0, 1]));
    });

    it('L3, L5: a member that stops hands over at its checkpoint', async () => {
      const { log, topic, group, append } = await start(4);
      const checkpoints = new Map<number, number>();
      const shared = () => Object.assign(new Consumer(), { checkpoints });
      const first = await current().consumer(log, group, topic, shared());
      const second = await current().consumer(await current().log(), group, topic, shared());
      await current().eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]));
      await append('1');
      await current().eventually(() => expect([...first.values, ...second.values]).toHaveLength(4));
      await first.stop();
      await append('2');
      await current().eventually(() => expect(second.assigned).toEqual([0, 1, 2, 3]));
      await current().eventually(() => expect([...first.values, ...second.values]).toHaveLength(8));
      expect(second.values.filter((value) => value === '2')).toHaveLength(4);
    });

    it('L5: no partition is worked on by two members while they come and go', async () => {
      const { log, topic, group, append } = await start(5);
      const working = new Map<number, number>();
      const clashes: number[] = [];
      const checkpoints = new Map<number, number>();
      const member = () => {
        const consumer = Object.assign(new Consumer(), { checkpoints });
        consumer.handler = async ({ partition }) => {
          working.set(partition, (working.get(partition) ?? 0) + 1);
          if ((working.get(partition) ?? 0) > 1) clashes.push(partition);
          await sleep(15);
          working.set(partition, (working.get(partition) ?? 0) - 1);
        };
        return consumer;
      };
      const members = [await current().consumer(log, group, topic, member())];
      for (let n = 0; n < 10; n++) {
        await append(`${n}`);
        if (n === 2 || n === 4) members.push(await current().consumer(await current().log(), group, topic, member()));
        if (n === 6) await members[0]?.stop();
        await sleep(20);
      }
      const seen = () =>
        members.flatMap(({ records }) => records.map(({ partition, value }) => `${partition}:${value}`));
      await current().eventually(() => expect(new Set(seen()).size).toBe(50));
      expect(clashes).toEqual([]);
      expect(seen()).toHaveLength(50);
    });

    it('L3, L5: the partitions of a member that is killed go to the others', async () => {
      const { log, topic, group, append } = await start(4);
      const child = current().consumerProcess(group, topic);
      await current().eventually(() => expect(assignedTo(child)).toHaveLength(4));
      const survivor = await current().consumer(log, group, topic);
      await current().eventually(() => {
        expect(assignedTo(child)).toHaveLength(2);
        expect(survivor.assigned).toHaveLength(2);
      });
      await append('before');
      await current().eventually(() => expect(child.messages.filter(({ type }) => type === 'batch')).toHaveLength(2));
      await child.kill();
      await append('after');
      await current().eventually(() => expect(survivor.assigned).toEqual([0, 1, 2, 3]));
      await current().eventually(() => {
        expect(survivor.values.filter((value) => value === 'before')).toHaveLength(4);
        expect(survivor.values.filter((value) => value === 'after')).toHaveLength(4);
      });
      expect(child.complaints).toBe('');
    });
  });
}

function assignedTo(child: Child<ConsumerChildMessage>): number[] {
  return child.messages.reduce<number[]>(
    (last, message) => (message.type === 'assigned' ? message.partitions : last),
    [],
  );
}
