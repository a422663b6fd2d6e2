import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rng } from './rng.ts';

test('a named stream is the same on every machine and for ever: these numbers must not change', () => {
  const whale = rng('whale');
  expect([whale.float(), whale.float(), whale.float()]).toEqual([
    0.5304967074189335, 0.2780149548780173, 0.8745268923230469,
  ]);
  expect([whale.int(10), whale.int(1000), whale.int(2 ** 32)]).toEqual([2, 843, 4013936063]);
  expect(rng('x').shuffle([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([6, 3, 1, 5, 7, 8, 2, 4]);
  expect(rng('').float()).toBe(0.48283559549599886);
});

test('streams of other names have nothing in common', () => {
  const names = ['a', 'b', 'a/b', 'ab', 'a/', 'θ'];
  const firsts = names.map((name) => rng(name).int(2 ** 32));
  expect(new Set(firsts).size).toBe(names.length);
});

describe('distribution', () => {
  // Bounds of about five standard errors: with a fixed seed they hold or they don't.
  const n = 100_000;

  test('float fills [0, 1) evenly', () => {
    const random = rng('floats');
    const buckets = new Array<number>(10).fill(0);
    let sum = 0;
    let most = 0;
    for (let i = 0; i < n; i++) {
      const x = random.float();
      most = Math.max(most, x);
      buckets[Math.floor(x * 10)]!++;
      sum += x;
    }
    expect(most).toBeLessThan(1);
    expect(Math.abs(sum / n - 0.5)).toBeLessThan(0.005);
    for (const count of buckets) expect(Math.abs(count - n / 10)).toBeLessThan(500);
  });

  test('neighbours are not correlated', () => {
    const random = rng('pairs');
    let before = random.float();
    let product = 0;
    for (let i = 0; i < n; i++) {
      const next = random.float();
      product += (before - 0.5) * (next - 0.5);
      before = next;
    }
    expect(Math.abs(product / n)).toBeLessThan(0.0014);
  });

  test('every order of three comes equally often', () => {
    const random = rng('orders');
    const counts = new Map<string, number>();
    for (let i = 0; i < 60_000; i++) {
      const order = random.shuffle(['a', 'b', 'c']).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(460);
  });
});

test('int stays below its bound and reaches each value; pick takes an element', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), (name, bound) => {
      const random = rng(name);
      const seen = new Set(Array.from({ length: 60 * bound }, () => random.int(bound)));
      expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: bound }, (_, i) => i));
      expect(['x', 'y']).toContain(random.pick(['x', 'y']));
    }),
    { numRuns: 30, seed: 1 },
  );
});

test('a shuffle is a permutation and leaves its input alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.integer()), (name, items) => {
      const before = [...items];
      expect([...rng(name).shuffle(items)].sort()).toEqual([...items].sort());
      expect(items).toEqual(before);
    }),
  );
});

test.each([0, -1, 1.5, 2 ** 32 + 1, NaN])('the bound %d is refused', (bound) => {
  expect(() => rng('x').int(bound)).toThrow(RangeError);
});

test('nothing can be picked from an empty list', () => {
  expect(() => rng('x').pick([])).toThrow(RangeError);
});
