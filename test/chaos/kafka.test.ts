import { describeKafka } from '@whale/kafka-broker/testing';
import { testPostgres } from '@whale/test-postgres';
import { afterAll, expect, it } from 'vitest';
import { quietRun, TINY } from '../support/quiet-run.ts';
import { chaosOnKafka } from './kafka.ts';

const LIMIT_MS = 120_000;
const SEED = process.env['WHALE_CHAOS_SEED'] ?? new Date().toISOString();
/** The long version is `npx tsx test/chaos/long.ts`. */
const KILLS = Number(process.env['WHALE_CHAOS_KAFKA'] ?? 5);
/** WHALE_CHAOS_AWAY=60 takes a minute; by default until everybody has noticed. */
const AWAY_S = Number(process.env['WHALE_CHAOS_AWAY'] ?? 0);

const postgres = await testPostgres('services on PostgreSQL');
afterAll(() => postgres?.close());

describeKafka(`an experiment on Kafka and PostgreSQL (seed ${SEED})`, () => {
  it.skipIf(!postgres)(
    `${KILLS} kills of processes, a broker that goes away, and four rollout processes of which two are late: all end in the state of the quiet run on SQLite`,
    { timeout: 6 * LIMIT_MS + AWAY_S * 1_000 },
    async () => {
      const { shown: expected, records } = await quietRun();
      const database = (await postgres?.database()) as string;
      const size = { kills: KILLS, brokerKills: 1, awayMs: AWAY_S * 1_000, limitMs: LIMIT_MS };
      const log = () => undefined;
      expect(await chaosOnKafka({ ...size, seed: SEED, spec: TINY, database, expected, records, log })).toEqual([]);
    },
  );
});
