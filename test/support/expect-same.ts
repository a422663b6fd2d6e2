import { expect } from 'vitest';
import { differencesFrom } from './differences-from.ts';
import type { LogProbe } from './log-probe.ts';
import type { Place, Shown } from './place.ts';

/** Same state as the undisturbed run, no rollout lost, none counted twice; and the log says the same. */
export async function expectSame(place: Place, expected: Shown, probe: LogProbe): Promise<void> {
  expect(await differencesFrom(expected, place, probe)).toEqual([]);
}
