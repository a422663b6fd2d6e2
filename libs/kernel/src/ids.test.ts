import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deterministicId } from './ids.ts';

test('an id is the same for ever: it must not change', () => {
  expect(deterministicId('event', 'a', 1)).toBe('event-e1f5259b443e14b7e13a8b19');
});

test('kind and parts make the id, and where one part ends the next begins', () => {
  const ids = [
    deterministicId('a', 'b', 'c'),
    deterministicId('a', 'bc'),
    deterministicId('ab', 'c'),
    deterministicId('a', 'b', 'c', ''),
    deterministicId('a', '1'),
    deterministicId('a', 1),
    deterministicId('a'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test('ids look alike whatever goes in', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.integer())), (parts) => {
      expect(deterministicId('rollout', ...parts)).toMatch(/^rollout-[0-9a-f]{24}$/);
    }),
  );
});
