import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share, type Member } from './share.ts';

const count = (n: number) => Array.from({ length: n }, (_, index) => index);

const members = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 })
  .map((ids) => ids.map((id): Member => ({ id, topics: ['a', 'b'], held: {} })));
const topics = fc.tuple(fc.nat(13), fc.nat(4)).map(
  ([a, b]) =>
    new Map([
      ['a', count(a)],
      ['b', count(b)],
    ]),
);
const withHeld = (all: readonly Member[], shares: Map<string, Record<string, number[]>>) =>
  all.map((member) => ({ ...member, held: shares.get(member.id) ?? {} }));

describe('share', () => {
  it('L5: gives each partition to one member, evenly within each topic (property)', () => {
    fc.assert(
      fc.property(members, topics, (all, partitions) => {
        const shares = share(all, partitions);
        for (const [topic, of] of partitions) {
          const given = all.map(({ id }) => shares.get(id)?.[topic] ?? []);
          expect(given.flat().sort((a, b) => a - b)).toEqual(of);
          const sizes = given.map(({ length }) => length);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('moves nothing when nothing changed (property)', () => {
    fc.assert(
      fc.property(members, topics, (all, partitions) => {
        const before = share(all, partitions);
        expect(share(withHeld(all, before), partitions)).toEqual(before);
      }),
    );
  });

  it('a newcomer takes only its own share, and a leaver leaves the others what they had (property)', () => {
    fc.assert(
      fc.property(members, topics, (all, partitions) => {
        const [first, ...others] = all as [Member, ...Member[]];
        const without = others.length > 0 ? share(others, partitions) : new Map<string, Record<string, number[]>>();
        const joined = share([first, ...withHeld(others, without)], partitions);
        for (const { id } of others) {
          for (const topic of ['a', 'b']) {
            const had = without.get(id)?.[topic] ?? [];
            expect(joined.get(id)?.[topic]?.every((partition) => had.includes(partition)) ?? true).toBe(true);
          }
        }
        const left = share(withHeld(others, joined), partitions);
        for (const { id } of others) {
          for (const topic of ['a', 'b']) {
            expect(left.get(id)?.[topic] ?? []).toEqual(expect.arrayContaining(joined.get(id)?.[topic] ?? []));
          }
        }
      }),
    );
  });

  it('whoever loses some keeps what it named first', () => {
    const held = { a: [3, 0, 1, 2] };
    const shares = share(
      [
        { id: 'old', topics: ['a'], held },
        { id: 'new', topics: ['a'], held: {} },
      ],
      new Map([['a', count(4)]]),
    );
    expect(shares.get('old')).toEqual({ a: [0, 3] });
    expect(shares.get('new')).toEqual({ a: [1, 2] });
  });

  it('two that claim the same, and partitions that are gone, are sorted out', () => {
    const held = { a: [0, 1, 9] };
    const shares = share(
      [
        { id: 'x', topics: ['a'], held },
        { id: 'y', topics: ['a'], held },
      ],
      new Map([['a', count(2)]]),
    );
    expect([...shares.values()].flatMap(({ a }) => a).sort()).toEqual([0, 1]);
  });

  it('gives a topic only to those who subscribe to it', () => {
    const shares = share(
      [
        { id: 'x', topics: ['a'], held: {} },
        { id: 'y', topics: ['a', 'b'], held: {} },
      ],
      new Map([
        ['a', count(2)],
        ['b', count(2)],
      ]),
    );
    expect(shares.get('x')).toEqual({ a: [0] });
    expect(shares.get('y')).toEqual({ a: [1], b: [0, 1] });
  });
});
