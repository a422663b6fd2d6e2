import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@whale/contracts';
import { startBroker } from '@whale/kafka-broker';
import { describeKafka } from '@whale/kafka-broker/testing';
import { testPostgres } from '@whale/test-postgres';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { expectSame } from '../support/expect-same.ts';
import { Fleet } from '../support/fleet.ts';
import { Place, type Shown } from '../support/place.ts';
import { scratchFolder } from '../support/whale-process.ts';
import { chaosOnKafka } from './kafka.ts';

const SPEC = 'test/support/tiny.yaml';
const LIMIT_MS = 240_000;
const SEED = process.env['WHALE_CHAOS_SEED'] ?? new Date().toISOString();
/** The long version is `npx tsx test/chaos/long.ts`. */
const KILLS = Number(process.env['WHALE_CHAOS_KAFKA'] ?? 5);
/** WHALE_CHAOS_AWAY=60 takes a minute. */
const AWAY_S = Number(process.env['WHALE_CHAOS_AWAY'] ?? 15);

const postgres = await testPostgres('services on PostgreSQL');
afterAll(() => postgres?.close());

function newFolder(name: string): string {
  const folder = scratchFolder(name);
  onTestFinished(() => folder.remove());
  return folder.path;
}

describeKafka(`an experiment on Kafka and PostgreSQL (seed ${SEED})`, () => {
  const quietFolder = scratchFolder('quiet');
  let expected: Shown;
  let records: number;

  beforeAll(async () => {
    const quiet = new Place({ data: quietFolder.path });
    expect((await quiet.whale('run', SPEC)).code).toBe(0);
    expected = await quiet.show();
    const probe = quiet.probe();
    records = await probe.records();
    await probe.close();
  }, 120_000);
  afterAll(() => quietFolder.remove());

  it.skipIf(!postgres)(
    `${KILLS} kills of service processes and one of the broker end in the state of the quiet run on SQLite`,
    { timeout: 2 * LIMIT_MS },
    async () => {
      const options = { kills: KILLS, brokerKills: 1, seed: SEED, spec: SPEC, expected, records, limitMs: 120_000 };
      expect(await chaosOnKafka({ ...options, log: () => undefined })).toEqual([]);
    },
  );

  it.skipIf(!postgres)(
    `four rollout processes, two of them late, give the state of one; a broker that is away for ${AWAY_S} s is waited for`,
    { timeout: 2 * LIMIT_MS },
    async () => {
      const broker = await startBroker();
      onTestFinished(() => broker.stop());
      const database = (await postgres?.database()) as string;
      const place = new Place({ data: newFolder('scaled'), log: broker.url, database });
      const fleet = new Fleet(place);
      onTestFinished(() => fleet.killAll());
      expect((await place.whale('run', SPEC, '--detach')).code).toBe(0);
      for (const name of SERVICES) fleet.start(name);
      fleet.start('rollout');
      const probe = place.probe();
      await probe.reached(records / 4);
      const away = fleet.members.map(({ running }) => running);
      await broker.kill();
      await sleep(AWAY_S * 1_000);
      // All wait for it, and each says so.
      expect(away.map(({ process }) => process.exitCode)).toEqual(away.map(() => null));
      await broker.restart();
      fleet.start('rollout', 'verifier');
      fleet.start('rollout', 'proposer');
      await place.ended(probe, LIMIT_MS);
      const members = [...fleet.members];
      await fleet.stop();
      for (const { services, running } of members.slice(0, 7)) {
        const { stderr } = await running.finished;
        expect(stderr, services.join()).toMatch(/does not answer/u);
        expect(stderr, services.join()).toMatch(/answers again/u);
      }
      await expectSame(place, expected, probe);
    },
  );
});
