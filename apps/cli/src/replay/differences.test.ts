import { expect, test } from 'vitest';
import { differences } from './differences.ts';

test('equal values differ nowhere, whatever the order of keys', () => {
  expect(differences({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toEqual([]);
});

test('each difference is named by its path', () => {
  expect(differences({ a: { b: [1, 2] }, gone: true }, { a: { b: [1, 3] }, more: 'x' })).toEqual([
    'a.b.1: live 2, rebuilt 3',
    'gone: live true, rebuilt nothing',
    'more: live nothing, rebuilt "x"',
  ]);
  expect(differences([1], { 0: 1 })).toEqual(['(all of it): live [1], rebuilt {"0":1}']);
});

test('many differences are counted, long values cut', () => {
  const numbers = Array.from({ length: 15 }, (_, i) => i);
  const found = differences(
    numbers,
    numbers.map((n) => n + 1),
  );
  expect(found).toHaveLength(11);
  expect(found.at(-1)).toBe('and 5 more');
  expect(differences('x'.repeat(100), null)[0]?.length).toBeLessThan(110);
});
