import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SleepWatch } from './sleep-watch.ts';

function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function watching(longestMs: number, quarantineMs: number): SleepWatch {
  const watch = new SleepWatch(20, longestMs, quarantineMs);
  onTestFinished(() => watch.end());
  return watch;
}

it('believes nothing for a while after a sleep, whether the timer or the question comes first', async () => {
  const asked = watching(200, 5_000);
  standStill(300);
  expect(asked.waitMs).toBeGreaterThan(4_000);
  const ticked = watching(200, 5_000);
  standStill(300);
  await sleep(30);
  expect(ticked.waitMs).toBeGreaterThan(4_000);
});

it('does not take a slow turn for a sleep', async () => {
  const watch = watching(60_000, 5_000);
  standStill(100);
  await sleep(30);
  expect(watch.waitMs).toBe(0);
});
