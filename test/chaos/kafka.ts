import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@whale/contracts';
import { startBroker } from '@whale/kafka-broker';
import { rng } from '@whale/kernel';
import { startPostgres } from '@whale/test-postgres';
import { Fleet } from '../support/fleet.ts';
import { differencesFrom } from '../support/differences-from.ts';
import { Place, type Shown } from '../support/place.ts';
import { scratchFolder } from '../support/whale-process.ts';

export interface ChaosOptions {
  /** SIGKILLs of service processes. */
  kills: number;
  /** SIGKILLs of the broker, each followed by a restart on the same data. */
  brokerKills: number;
  seed: string;
  spec: string;
  /** The undisturbed run, and how many records it left. */
  expected: Shown;
  records: number;
  /** Longest wait for progress, ms. */
  limitMs: number;
  log: (line: string) => void;
}

/** Share of the records by which the last kill has come. */
const LATEST = 0.9;
/** Rollout, verifier and proposer scale out; the others have one process each. */
const TWICE = ['rollout', 'verifier', 'proposer'] as const;

/**
 * One experiment on Kafka and PostgreSQL, a process a service and two of those that scale out, while processes and
 * broker are killed at random moments. Returns what differs from the undisturbed run: nothing, or sentences.
 */
export async function chaosOnKafka(options: ChaosOptions): Promise<string[]> {
  const { kills, brokerKills, seed, spec, expected, records, log } = options;
  const random = rng(`chaos/${seed}`);
  const folder = scratchFolder('chaos');
  const broker = await startBroker({ log });
  const postgres = await startPostgres();
  const place = new Place({ data: folder.path, log: broker.url, database: postgres.url });
  const fleet = new Fleet(place);
  try {
    const submitted = await place.whale('run', spec, '--detach');
    if (submitted.code !== 0) throw new Error(submitted.stderr);
    for (const name of [...SERVICES, ...TWICE]) fleet.start(name);
    const blows = random.shuffle([
      ...Array.from({ length: kills }, () => 'service' as const),
      ...Array.from({ length: brokerKills }, () => 'broker' as const),
    ]);
    const probe = place.probe();
    const points = blows.map(() => random.int(Math.floor(records * LATEST))).sort((a, b) => a - b);
    let struck = 0;
    for (const blow of blows) {
      // By progress, not by time: an experiment that stands still is not struck again.
      const point = points[struck] as number;
      const deadline = Date.now() + options.limitMs;
      if (!(await probe.reached(point, () => Date.now() > deadline)))
        throw new Error(`no ${point} records after ${struck} kills`);
      await sleep(random.int(200));
      if (blow === 'broker') {
        await broker.kill();
        await sleep(random.int(1_500));
        await broker.restart();
      } else {
        const victim = fleet.members[random.int(fleet.members.length)];
        if (!victim) throw new Error('no process is left');
        await fleet.kill(victim);
        fleet.start(...victim.services);
      }
      struck++;
      log(`${struck} of ${blows.length}: ${blow} killed`);
    }
    await place.ended(probe, options.limitMs);
    await fleet.stop();
    return await differencesFrom(expected, place, probe);
  } finally {
    fleet.killAll();
    await broker.stop();
    await postgres.stop();
    folder.remove();
  }
}
