import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, type AssignablePartition, type GroupMember } from './assignment.ts';

const free = (count: number, topic = 't'): AssignablePartition[] =>
  Array.from({ length: count }, (_, id) => ({ id, topic, owner: null }));
const members = (...ids: string[]): GroupMember[] => ids.map((id) => ({ id, topics: ['t'] }));

describe('assign', () => {
  it('moves no more than it must when a member joins', () => {
    const owned = free(4).map((partition) => ({ ...partition, owner: 'a' }));
    expect([...assign(owned, members('a', 'b'))]).toEqual([
      [0, 'a'],
      [1, 'a'],
      [2, 'b'],
      [3, 'b'],
    ]);
  });

  it('shares many topics of one partition', () => {
    const partitions = ['t1', 't2', 't3', 't4'].map((topic, id) => ({ id, topic, owner: null }));
    const both = ['a', 'b'].map((id) => ({ id, topics: ['t1', 't2', 't3', 't4'] }));
    expect([...assign(partitions, both).values()].sort()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('gives a partition only to a member that subscribes to its topic', () => {
    const partitions = [...free(2), { id: 2, topic: 'other', owner: 'a' }];
    const target = assign(partitions, [
      { id: 'a', topics: ['t'] },
      { id: 'b', topics: ['t', 'other'] },
    ]);
    expect(target.get(2)).toBe('b');
    expect(assign([{ id: 9, topic: 'nobodys', owner: null }], members('a')).size).toBe(0);
  });

  it('is fair, complete, settled once it is reached, and the same for every order of its arguments (property)', () => {
    const owner = fc.option(fc.constantFrom('a', 'b', 'c', 'gone'));
    const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(owner, { maxLength: 12 }), ids, (owners, present) => {
        const partitions = owners.map((each, id) => ({ id, topic: 't', owner: each }));
        const target = assign(partitions, members(...present));
        expect(target.size).toBe(partitions.length);
        const loads = present.map((id) => [...target.values()].filter((each) => each === id).length);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
        const settled = partitions.map((partition) => ({ ...partition, owner: target.get(partition.id) ?? null }));
        expect(assign(settled, members(...present))).toEqual(target);
        const turned = assign([...partitions].reverse(), members(...[...present].reverse()));
        expect([...turned].sort()).toEqual([...target].sort());
      }),
    );
  });

  it('stays settled on the way: freeing what has to move changes nobody else’s share (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }), fc.nat(), (owners, seed) => {
        const everybody = members('a', 'b', 'c', 'd');
        let partitions: AssignablePartition[] = owners.map((owner, id) => ({ id, topic: 't', owner }));
        for (let step = 0; step < 30; step++) {
          const target = assign(partitions, everybody);
          const moving = partitions.filter(({ id, owner }) => target.get(id) !== owner);
          if (moving.length === 0) return;
          const next = moving[(seed + step) % moving.length] as AssignablePartition;
          const owner = next.owner === null ? (target.get(next.id) as string) : null;
          partitions = partitions.map((each) => (each.id === next.id ? { ...each, owner } : each));
        }
        expect(partitions.filter(({ id, owner }) => assign(partitions, everybody).get(id) !== owner)).toEqual([]);
      }),
    );
  });
});
