import { ManualClock } from '@whale/kernel';
import { expect, it } from 'vitest';
import { Laps } from './laps.ts';

it('cuts the time at work into parts that add up', () => {
  const clock = new ManualClock(1_000);
  const laps = new Laps(clock);
  clock.advance(30.4);
  expect(laps.running).toBe(30);
  expect(laps.end()).toBe(30);
  clock.advance(10.4);
  // What was rounded off belongs to the next part.
  expect(laps.end()).toBe(11);
  expect(laps.end()).toBe(0);
  clock.advance(-5_000);
  expect(laps.end()).toBe(0);
});
