import { isDeepStrictEqual } from 'node:util';
import type { LogProbe } from './log-probe.ts';
import type { Place, Shown } from './place.ts';

/**
 * In what an experiment differs from the undisturbed run, as sentences: state, result, rollouts lost or counted twice,
 * and what a rebuild from the log says. Closes the probe.
 */
export async function differencesFrom(expected: Shown, place: Place, probe: LogProbe): Promise<string[]> {
  const differences: string[] = [];
  const compare = (what: string, found: unknown, wanted: unknown): void => {
    if (isDeepStrictEqual(found, wanted)) return;
    differences.push(`${what}: ${JSON.stringify(found)}, undisturbed ${JSON.stringify(wanted)}`);
  };
  const shown = await place.show();
  for (const key of ['experimentId', 'status', 'stateHash', 'best'] as const) compare(key, shown[key], expected[key]);
  compare('rollouts in the ledger', shown.ledger.rollouts, expected.ledger.rollouts);
  const verdicts = await probe.eventIds('whale.rollout.verified.v1');
  const total = Object.values(expected.ledger.rollouts).reduce((sum, n) => sum + n, 0);
  compare('rollouts with a verdict', new Set(verdicts).size, total);
  await probe.close();
  const rebuilt = await place.whale('rebuild', '--json');
  if (rebuilt.code !== 0) differences.push(`rebuild: exit ${rebuilt.code}: ${rebuilt.stderr}${rebuilt.stdout}`);
  return differences;
}
