import { once } from 'node:events';
import { expect, test } from 'vitest';
import { timeLimit } from './time-limit.ts';

test.each([333.3, 1e12, Infinity])('takes any time: %s ms', (milliseconds) => {
  expect(timeLimit(milliseconds).aborted).toBe(false);
});

test('time that is over is over', async () => {
  const over = timeLimit(-5);
  if (!over.aborted) await once(over, 'abort');
  expect(over.aborted).toBe(true);
});
