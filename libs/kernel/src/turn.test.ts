import { setImmediate as immediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { turn } from './turn.ts';

test('one waiter a turn, in the order of the calls', async () => {
  let turns = 0;
  const counting = setInterval(() => undefined, 1);
  const count = () => {
    turns++;
    counter = setImmediate(count);
  };
  let counter = setImmediate(count);
  const seen: [number, number][] = [];
  await Promise.all([0, 1, 2, 3, 4].map((waiter) => turn().then(() => seen.push([waiter, turns]))));
  clearImmediate(counter);
  clearInterval(counting);
  expect(seen.map(([waiter]) => waiter)).toEqual([0, 1, 2, 3, 4]);
  expect(new Set(seen.map(([, at]) => at)).size).toBe(5);
});

test('whoever waits again goes to the end', async () => {
  const seen: string[] = [];
  const twice = async (name: string) => {
    await turn();
    seen.push(name);
    await turn();
    seen.push(name);
  };
  await Promise.all([twice('a'), twice('b')]);
  await immediate();
  expect(seen).toEqual(['a', 'b', 'a', 'b']);
});
