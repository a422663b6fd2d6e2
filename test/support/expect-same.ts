import { expect } from 'vitest';
import type { LogProbe } from './log-probe.ts';
import type { Place, Shown } from './place.ts';

/** Same state as the undisturbed run, no rollout lost, none counted twice; and the log says the same. */
export async function expectSame(place: Place, expected: Shown, probe: LogProbe): Promise<void> {
  const shown = await place.show();
  expect(shown).toMatchObject({
    experimentId: expected.experimentId,
    status: expected.status,
    stateHash: expected.stateHash,
    best: expected.best,
  });
  expect(shown.ledger.rollouts).toEqual(expected.ledger.rollouts);
  const verdicts = await probe.eventIds('whale.rollout.verified.v1');
  const total = Object.values(expected.ledger.rollouts).reduce((sum, n) => sum + n, 0);
  expect(new Set(verdicts).size).toBe(total);
  await probe.close();
  const rebuilt = await place.whale('rebuild');
  expect(rebuilt.stderr + rebuilt.stdout).toContain('equal');
  expect(rebuilt.code).toBe(0);
}
