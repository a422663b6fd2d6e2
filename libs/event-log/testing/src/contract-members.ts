import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { Child } from './child.ts';
import { Consumer } from './consumer.ts';
import type { ConsumerChildMessage } from './consumer-child.ts';
import type { ContractTest } from './contract.ts';
import { keyPerPartition, record, type Fixture } from './fixture.ts';

export function memberContract(it: ContractTest): void {
  const start = async (fixture: Fixture, partitions: number) => {
    const log = await fixture.log();
    const topic = await fixture.topic(log, partitions);
    const keys = await keyPerPartition(log, topic);
    const append = (value: string) => log.append(keys.map((key) => record(topic, key, value)));
    return { log, topic, group: fixture.group(), append };
  };

  describe('members of a group', () => {
    it('L5: share the partitions fairly, each partition with one of them', async (fixture) => {
      const { log, topic, group, append } = await start(fixture, 6);
      const first = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => expect(first.assigned).toHaveLength(6));
      const second = await fixture.consumer(await fixture.log(), group, topic);
      await fixture.eventually(() => {
        expect([first.assigned.length, second.assigned.length]).toEqual([3, 3]);
        expect([...first.assigned, ...second.assigned].sort()).toEqual([0, 1, 2, 3, 4, 5]);
      });
      expect(first.revoked.length).toBeGreaterThanOrEqual(3);
      await append('shared');
      await fixture.eventually(() => {
        const all = [...first.records, ...second.records].map(({ partition }) => partition).sort();
        expect(all).toEqual([0, 1, 2, 3, 4, 5]);
      });
      expect(first.records.every(({ partition }) => first.assigned.includes(partition))).toBe(true);
    });

    it('L5: two subscriptions of one connection are two members', async (fixture) => {
      const { log, topic, group } = await start(fixture, 4);
      const first = await fixture.consumer(log, group, topic);
      const second = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]));
    });

    it('L5: more members than partitions leave some with nothing', async (fixture) => {
      const { log, topic, group } = await start(fixture, 1);
      const members = [1, 2, 3].map(() => new Consumer());
      for (const member of members) await fixture.consumer(log, group, topic, member);
      const held = () => members.map(({ assigned }) => assigned.length).sort();
      await fixture.eventually(() => expect(held()).toEqual([0, 0, 1]));
      await members.find(({ assigned }) => assigned.length === 1)?.stop();
      await fixture.eventually(() => expect(held()).toEqual([0, 0, 1]));
    });

    it('L3, L5: a member that stops hands over at its checkpoint', async (fixture) => {
      const { log, topic, group, append } = await start(fixture, 4);
      const checkpoints = new Map<number, number>();
      const shared = () => Object.assign(new Consumer(), { checkpoints });
      const first = await fixture.consumer(log, group, topic, shared());
      const second = await fixture.consumer(await fixture.log(), group, topic, shared());
      await fixture.eventually(() => expect([first.assigned.length, second.assigned.length]).toEqual([2, 2]));
      await append('1');
      await fixture.eventually(() => expect([...first.values, ...second.values]).toHaveLength(4));
      await first.stop();
      await append('2');
      await fixture.eventually(() => expect(second.assigned).toEqual([0, 1, 2, 3]));
      await fixture.eventually(() => expect([...first.values, ...second.values]).toHaveLength(8));
      expect(second.values.filter((value) => value === '2')).toHaveLength(4);
    });

    it('L5: no partition is worked on by two members while they come and go', async (fixture) => {
      const { log, topic, group, append } = await start(fixture, 5);
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
      const members = [await fixture.consumer(log, group, topic, member())];
      for (let n = 0; n < 10; n++) {
        await append(`${n}`);
        if (n === 2 || n === 4) members.push(await fixture.consumer(await fixture.log(), group, topic, member()));
        if (n === 6) await members[0]?.stop();
        await sleep(20);
      }
      const seen = () =>
        members.flatMap(({ records }) => records.map(({ partition, value }) => `${partition}:${value}`));
      await fixture.eventually(() => expect(new Set(seen()).size).toBe(50));
      expect(clashes).toEqual([]);
      expect(seen()).toHaveLength(50);
    });

    it('L3, L5: the partitions of a member that is killed go to the others', async (fixture) => {
      const { log, topic, group, append } = await start(fixture, 4);
      const child = fixture.consumerProcess(group, topic);
      await fixture.eventually(() => expect(assignedTo(child)).toHaveLength(4));
      const survivor = await fixture.consumer(log, group, topic);
      await fixture.eventually(() => {
        expect(assignedTo(child)).toHaveLength(2);
        expect(survivor.assigned).toHaveLength(2);
      });
      await append('before');
      await fixture.eventually(() => expect(child.messages.filter(({ type }) => type === 'batch')).toHaveLength(2));
      await child.kill();
      await append('after');
      await fixture.eventually(() => expect(survivor.assigned).toEqual([0, 1, 2, 3]));
      await fixture.eventually(() => {
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
