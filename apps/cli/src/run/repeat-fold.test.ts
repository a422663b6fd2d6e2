import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FoldedDisplay, PlainDisplay } from './display.ts';
import { RepeatFold } from './repeat-fold.ts';

const full = (item: number) => `rollout: rollout event-${'0'.repeat(8)}${item} failed: STORE_FULL: no space left`;

test('F1: the first line is told at once, repeats once a window with their number', () => {
  const fold = new RepeatFold(5_000);
  expect(fold.take(full(1), 0)).toEqual([full(1)]);
  for (let item = 2; item <= 40; item++) expect(fold.take(full(item), item)).toEqual([]);
  expect(fold.take('verifier: another trouble', 50)).toEqual(['verifier: another trouble']);
  expect(fold.due(4_999)).toEqual([]);
  expect(fold.due(5_000)).toEqual([`${full(40)} (and 39 more like it)`]);
  expect(fold.take(full(41), 6_000)).toEqual([]);
  expect(fold.flush()).toEqual([`${full(41)} (and 1 more like it)`]);
  expect(fold.flush()).toEqual([]);
});

test('F1: another service or another message is another line', () => {
  const fold = new RepeatFold();
  for (const line of [full(1), full(1).replace('rollout:', 'verifier:'), full(1).replace('FULL', 'IO')]) {
    expect(fold.take(line, 0)).toEqual([line]);
  }
});

test('F2: lines told and repeats counted are as many as lines taken', () => {
  const line = fc.constantFrom('a 1', 'a 2', 'b', 'c deadbeef00', 'c deadbeef01');
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.nat(9_000))), (lines) => {
      const fold = new RepeatFold(5_000);
      let now = 0;
      const told = lines.flatMap(([text, wait]) => fold.take(text, (now += wait)));
      const total = [...told, ...fold.flush()].reduce((sum, text) => {
        const more = /\(and (\d+) more like it\)$/.exec(text)?.[1];
        return sum + (more === undefined ? 1 : Number(more));
      }, 0);
      expect(total).toBe(lines.length);
    }),
  );
});

test('F3: a kind that stays away is forgotten, and told at once when it comes back', () => {
  const fold = new RepeatFold(5_000);
  fold.take('a', 0);
  fold.due(5_000);
  expect(fold.take('a', 5_001)).toEqual(['a']);
});

test('a display folds its trouble lines and tells the rest when it closes', () => {
  const written: string[] = [];
  const display = new FoldedDisplay(new PlainDisplay((line) => written.push(line)));
  for (let item = 1; item <= 20; item++) display.trouble(full(item));
  display.note('stopping');
  display.close();
  expect(written).toHaveLength(3);
  expect(written.at(-1)).toContain('(and 19 more like it)');
});
