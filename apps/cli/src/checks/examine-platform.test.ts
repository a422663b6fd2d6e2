import { randomUUID } from 'node:crypto';
import { topicDefinitions } from '@whale/contracts';
import { KafkaEventLog, kafkaSettings } from '@whale/event-log-kafka';
import { describeKafka, sharedBroker } from '@whale/kafka-broker/testing';
import { embedded } from '@whale/service-host';
import { testPostgres } from '@whale/test-postgres';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { examinePlatform } from './examine-platform.ts';

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:1';
const place = (given: { log?: string; database?: string }) => ({ ...embedded('.whale'), ...given });

const postgres = await testPostgres('doctor on PostgreSQL');
afterAll(() => postgres?.close());

it('an installation in one folder needs neither', async () => {
  expect(await examinePlatform(place({}), {})).toEqual([]);
});

it('says what to do where neither answers, and shows no password', { timeout: 60_000 }, async () => {
  const findings = await examinePlatform(
    place({ log: `kafka://${NOWHERE}`, database: `postgres://me:hidden@${NOWHERE}/whale` }),
    {},
  );
  expect(findings).toMatchObject([
    { what: 'Kafka', state: 'missing', found: expect.stringContaining('npm run kafka') as string },
    { what: 'PostgreSQL', state: 'missing', found: expect.stringContaining('Start PostgreSQL') as string },
  ]);
  expect(JSON.stringify(findings)).not.toContain('hidden');
});

it('shows nothing of a password that is not encoded', async () => {
  const [finding] = await examinePlatform(place({ database: 'postgres://whale:s3@cr/et@host/t6' }), {});
  expect(finding?.found).toContain('Percent-encode');
  expect(finding?.found).not.toMatch(/s3|cr|et@/);
});

describeKafka('a broker', () => {
  it('answers, and its topics are there or not', async () => {
    const { url } = await sharedBroker();
    const environment = { WHALE_KAFKA_TOPIC_PREFIX: `doctor-${randomUUID()}.` };
    const topics = async () => (await examinePlatform(place({ log: url }), environment))[1];
    const answers = { what: 'Kafka', state: 'ok', found: `answers at ${url}` };
    expect((await examinePlatform(place({ log: url }), environment))[0]).toEqual(answers);
    expect(await topics()).toMatchObject({
      state: 'warning',
      found: 'not there yet: whale.experiments.v1, whale.experiments.v1.dlq, whale.schedule.v1 and 13 more',
      remedy: expect.stringContaining(`whale topics --apply --log ${url}`) as string,
    });
    const log = await KafkaEventLog.open(kafkaSettings(url, environment));
    await log.ensureTopics(topicDefinitions());
    await log.close();
    expect(await topics()).toEqual({ what: 'topics', state: 'ok', found: 'all 16 are there' });
  });
});

describe.skipIf(postgres === null)('a database', () => {
  it('answers with its version', async () => {
    const url = (await postgres?.database()) as string;
    expect(await examinePlatform(place({ database: url }), {})).toEqual([
      { what: 'PostgreSQL', state: 'ok', found: expect.stringMatching(/^\d+\S* .*at postgres(ql)?:\/\//) as string },
    ]);
  });

  it('that is read-only is found, with what sets it', async () => {
    const url = (await postgres?.database()) as string;
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    await owner.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_read_only = on`);
    await owner.end();
    expect(await examinePlatform(place({ database: url }), {})).toMatchObject([
      {
        state: 'missing',
        found: expect.stringContaining('is read-only') as string,
        remedy: expect.stringContaining('default_transaction_read_only') as string,
      },
    ]);
  });

  it('of a user who may make no schemas says which right is missing', async () => {
    const url = new URL((await postgres?.database()) as string);
    const role = `doctor_${randomUUID().replaceAll('-', '')}`;
    const owner = new pg.Client({ connectionString: url.href });
    await owner.connect();
    try {
      await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
      Object.assign(url, { username: role, password: 'x' });
      const [finding] = await examinePlatform(place({ database: url.href }), {});
      expect(finding).toMatchObject({
        state: 'missing',
        found: expect.stringContaining('may make no schema') as string,
      });
      expect(finding?.remedy).toContain(`TO "${role}"`);
      await owner.query('CREATE SCHEMA whale_read');
      expect(await examinePlatform(place({ database: url.href }), {})).toMatchObject([{ state: 'ok' }]);
    } finally {
      await owner.query(`DROP ROLE IF EXISTS ${role}`);
      await owner.end();
    }
  });
});
