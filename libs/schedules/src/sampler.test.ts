import type { Spec } from '@whale/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixedWeightRange } from './phase-plan.ts';
import { promptAt, promptsAt, promptsIn } from './sampler.ts';

const tasks = (size: number) => Array.from({ length: size }, (_, i) => `t${i}`);

test('each epoch is a permutation, and no epoch is like the one before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 60 }), fc.nat(), (size, seed) => {
      const ids = tasks(size);
      const epochs = [0, 1, 2].map((epoch) => promptsAt(ids, seed, epoch * size, size));
      for (const epoch of epochs) expect([...epoch].sort()).toEqual([...ids].sort());
      expect(epochs[0]).not.toEqual(epochs[1]);
    }),
  );
});

test('a prompt depends only on tasks, seed and position, not on what was asked before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(99), fc.array(fc.nat(200)), (size, seed, places) => {
      const ids = tasks(size);
      const inOrder = promptsAt(ids, seed, 0, 201);
      for (const place of places) expect(promptAt(ids, seed, place)).toBe(inOrder[place]);
    }),
  );
});

test('task sets that look alike from both ends do not share an order', () => {
  const one = ['a', 'b', 'c', 'd', 'z'];
  const other = ['a', 'p', 'q', 'r', 'z'];
  expect([...promptsAt(one, 1, 0, 5)].sort()).toEqual(one);
  expect([...promptsAt(other, 1, 0, 5)].sort()).toEqual(other);
});

test('another seed gives another order', () => {
  expect(promptsAt(tasks(20), 1, 0, 20)).not.toEqual(promptsAt(tasks(20), 2, 0, 20));
});

test('an empty D_weight is refused', () => {
  expect(() => promptAt([], 1, 0)).toThrow(RangeError);
});

test.each([
  [0.6, 200, 120],
  [1, 7, 7],
  [0.001, 10, 1],
  [2.5, 10, 25],
])('%d epochs of %d are %d prompts', (epochs, size, prompts) => {
  expect(promptsIn(epochs, size)).toBe(prompts);
});

describe('the phases of a fixed E', () => {
  const spec = (epochs: number) => ({ strategy: { kind: 'fixed', cycles: 9, weight: { epochs } } }) as unknown as Spec;

  test('follow one another without gap, and add up to kE without drift', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.05, max: 3, noNaN: true }),
        fc.integer({ min: 20, max: 500 }),
        fc.integer({ min: 1, max: 50 }),
        (epochs, size, phases) => {
          let at = 0;
          for (let k = 0; k < phases; k++) {
            const range = fixedWeightRange(spec(epochs), k, size);
            expect(range?.from).toBe(at);
            at = range?.to as number;
          }
          expect(Math.abs(at - phases * epochs * size)).toBeLessThanOrEqual(0.5);
        },
      ),
    );
  });

  test('five phases of 0.6 are three epochs', () => {
    expect(fixedWeightRange(spec(0.6), 4, 50)).toEqual({ from: 120, to: 150 });
  });

  test('consume at least one prompt', () => {
    expect(fixedWeightRange(spec(0.01), 0, 10)).toEqual({ from: 0, to: 1 });
  });
});
