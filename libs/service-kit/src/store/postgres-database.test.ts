import { startPostgres, testPostgres } from '@whale/test-postgres';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PostgresDatabase } from './postgres-database.ts';
import { postgresOptions } from './postgres-options.ts';
import { lockId } from './postgres-schema.ts';
import { PostgresServiceStore } from './postgres-store.ts';

const postgres = await testPostgres('connections to PostgreSQL');
afterAll(() => postgres?.close());

async function database(url?: string, pool = 3): Promise<PostgresDatabase> {
  const opened = await PostgresDatabase.open(url ?? ((await postgres?.database()) as string), { pool });
  onTestFinished(() => opened.close());
  return opened;
}

/** Connections of whale besides the one that asks. */
const PIDS =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'whale' AND pid <> pg_backend_pid()";

async function asOther(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

test.each(['', 'nonsense', 'mysql://u:p@host/db', 'postgresql://host'])('the url %j is bad input', async (url) => {
  await expect(PostgresDatabase.open(url)).rejects.toMatchObject({
    code: 'INPUT',
    message: expect.stringContaining('postgresql://user:password@host:5432/database') as string,
  });
});

test.each(['s3@cr/et', 'cr/et', '12/et', '12#et', '12?et', '%/et'])(
  'a password %j that is not encoded is not told',
  async (password) => {
    const error = (await PostgresDatabase.open(`postgres://whale:${password}@host/db`).catch((e: Error) => e)) as Error;
    expect(error).toMatchObject({
      code: 'INPUT',
      message: expect.stringMatching(/Percent-encode.*\/ is %2F/) as string,
    });
    expect(error.message).not.toMatch(/cr|et@|s3|12/);
  },
);

test('an sslmode that is none is bad input, as is verify-ca without an authority', async () => {
  const open = (search: string) => PostgresDatabase.open(`postgres://u@127.0.0.1:1/db${search}`);
  await expect(open('?sslmode=banana')).rejects.toMatchObject({
    code: 'INPUT',
    message: expect.stringMatching(/banana.*disable \(.*verify-full \(/) as string,
  });
  await expect(open('?sslmode=verify-ca')).rejects.toMatchObject({ code: 'INPUT' });
  for (const mode of ['disable', 'prefer', 'require', 'verify-full']) {
    await expect(open(`?sslmode=${mode}`)).rejects.toMatchObject({ code: 'ENVIRONMENT' });
  }
});

test('the environment bounds the connections of a process', () => {
  expect(postgresOptions({})).toEqual({ pool: 10 });
  expect(postgresOptions({ WHALE_DATABASE_POOL: '3' })).toEqual({ pool: 3 });
  for (const wrong of ['0', '1.5', 'many', '']) {
    expect(() => postgresOptions({ WHALE_DATABASE_POOL: wrong })).toThrow(/WHALE_DATABASE_POOL/);
  }
});

test('a server that is not there is an environment error that tells no password', async () => {
  const error: Error = (await PostgresDatabase.open('postgresql://u:geheim@127.0.0.1:1/db').catch(
    (e: Error) => e,
  )) as Error;
  expect(error).toMatchObject({ code: 'ENVIRONMENT', retryable: true });
  expect(error.message).toMatch(/127\.0\.0\.1:1\/db is not there.*Start PostgreSQL/);
  expect(error.message).not.toContain('geheim');
});

describe.skipIf(!postgres)('on a server', () => {
  test('a wrong password and a missing database are told with their remedy', async () => {
    const url = new URL((await postgres?.database()) as string);
    const with_ = (change: Partial<URL>) => Object.assign(new URL(url), change).href;
    await expect(PostgresDatabase.open(with_({ password: 'wrong' }))).rejects.toThrow(/Check user, password/);
    await expect(PostgresDatabase.open(with_({ pathname: '/absent' }))).rejects.toThrow(/createdb/);
    await expect(PostgresDatabase.open(with_({ search: '?sslmode=require' }))).rejects.toThrow(
      /SSL.*sslmode in the url: disable/,
    );
  });

  test('a schema of a newer version is refused with the remedy', async () => {
    const url = (await postgres?.database()) as string;
    await new PostgresServiceStore(await database(url), 'whale_archive').prepare();
    await asOther(url, "INSERT INTO whale_archive.migrations (timestamp, name) VALUES (2, 'Newer9999999999999')");
    const store = new PostgresServiceStore(await database(url), 'whale_archive');
    await expect(store.commit({})).rejects.toMatchObject({
      code: 'ENVIRONMENT',
      message: expect.stringMatching(/newer whale \(Newer9999999999999\).*drop the schema/) as string,
    });
  });

  test('a database that is read-only is told as such at once, and what sets it', async () => {
    const url = (await postgres?.database()) as string;
    await asOther(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET default_transaction_read_only = on`);
    await expect(new PostgresServiceStore(await database(url), 'whale_new').prepare()).rejects.toMatchObject({
      code: 'ENVIRONMENT',
      message: expect.stringMatching(/ is read-only: .*default_transaction_read_only to off/) as string,
    });
  });

  test('a migration that is cancelled is made all the same', async () => {
    const url = (await postgres?.database()) as string;
    await asOther(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET statement_timeout = '100ms'`);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${lockId('migrations', 'whale_archive')})`);
    const prepared = new PostgresServiceStore(await database(url), 'whale_archive').prepare();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await holder.end();
    await prepared;
  });

  test('a time limit of a statement makes a retryable error, and the connection is used again', async () => {
    const url = (await postgres?.database()) as string;
    const store = new PostgresServiceStore(await database(url, 1), 'whale_archive');
    await store.prepare();
    const [{ pid }] = (await (await database(url)).ask({ text: PIDS })) as [{ pid: number }];
    await asOther(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET lock_timeout = '50ms'`);
    await asOther(url, `SELECT pg_terminate_backend(${pid})`);
    // The pool may hear of that only when it uses the connection.
    await vi.waitFor(() => store.documents(['doc']));
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE whale_archive.document');
    await expect(store.documents(['doc'])).rejects.toMatchObject({ code: 'STORE_CONFLICT', retryable: true });
    await holder.end();
    expect(await store.documents(['doc'])).toEqual(new Map());
  });

  test.each<[string, (url: string) => Promise<void>]>([
    ['dropped', (url) => asOther(url, 'DROP SCHEMA whale_archive CASCADE')],
    [
      'dropped and made anew by another process',
      async (url) => {
        await asOther(url, 'DROP SCHEMA whale_archive CASCADE');
        await new PostgresServiceStore(await database(url), 'whale_archive').prepare();
      },
    ],
  ])('a schema that was %s under a store ends it for this process', async (_, meddle) => {
    const url = (await postgres?.database()) as string;
    const store = new PostgresServiceStore(await database(url), 'whale_archive');
    const at = { topic: 't', partition: 0 };
    await store.commit({ checkpoint: { from: undefined, to: { ...at, offset: 5 } } });
    expect(store.lost).toBeNull();
    await meddle(url);
    const gone = {
      code: 'STORE_GONE',
      retryable: false,
      message: expect.stringMatching(/whale_archive.*anew/) as string,
    };
    await expect(store.checkpoint(at)).rejects.toMatchObject(gone);
    expect(store.lost).toMatchObject(gone);
    // Also once the tables are there again.
    const next = new PostgresServiceStore(await database(url), 'whale_archive');
    expect(await next.checkpoint(at)).toBeUndefined();
    await expect(store.commit({ checkpoint: { from: undefined, to: { ...at, offset: 7 } } })).rejects.toMatchObject(
      gone,
    );
  });

  test('a user that may not make a schema is told so, and may use one that is there', async () => {
    const url = (await postgres?.database()) as string;
    const user = `u${crypto.randomUUID().slice(0, 8)}`;
    await asOther(url, `CREATE USER ${user} PASSWORD 'x'; CREATE SCHEMA whale_theirs AUTHORIZATION ${user}`);
    const limited = await database(Object.assign(new URL(url), { username: user, password: 'x' }).href);
    await expect(new PostgresServiceStore(limited, 'whale_new').prepare()).rejects.toThrow(/GRANT CREATE ON DATABASE/);
    await new PostgresServiceStore(limited, 'whale_theirs').commit({ inbox: ['e1'] });
    await limited.close();
    await asOther(url, `DROP SCHEMA whale_theirs CASCADE; DROP USER ${user}`);
  });

  test('no more connections are opened than are allowed', async () => {
    const url = (await postgres?.database()) as string;
    const store = new PostgresServiceStore(await database(url, 2), 'whale_archive');
    await Promise.all(Array.from({ length: 40 }, (_, i) => store.commit({ inbox: [`e${i}`] })));
    const text =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'whale'";
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    expect((await other.query<{ n: string }>(text)).rows).toEqual([{ n: '2' }]);
    await other.end();
  });

  test('whether there is a store can be asked without making one', async () => {
    const here = await database();
    expect(await PostgresServiceStore.exists(here, 'whale_archive')).toBe(false);
    expect(await PostgresServiceStore.exists(here, 'whale_archive')).toBe(false);
    await new PostgresServiceStore(here, 'whale_archive').prepare();
    expect(await PostgresServiceStore.exists(here, 'whale_archive')).toBe(true);
  });

  test.each(['', 'Whale', 'a"; DROP', 'x'.repeat(49)])('the schema name %j is bad input', async (name) => {
    const here = await database();
    expect(() => new PostgresServiceStore(here, name)).toThrow(/expected a small letter/);
  });

  test('U+0000 is kept in a document; in a key it is refused, as is a key too long for an index', async () => {
    const store = new PostgresServiceStore(await database(), 'whale_archive');
    const value = { text: 'a\0b', '\0': '\ud800' };
    await store.commit({ documents: new Map([['doc', value]]) });
    expect((await store.documents(['doc'])).get('doc')).toEqual(value);
    const refused = { code: 'STORE_UNSTORABLE', retryable: false };
    await expect(store.commit({ inbox: ['a\0b'] })).rejects.toMatchObject(refused);
    await expect(store.commit({ documents: new Map([['a\0b', 1]]) })).rejects.toMatchObject(refused);
    const long = Array.from({ length: 9_000 }, () => Math.random()).join();
    await expect(store.commit({ inbox: [long] })).rejects.toMatchObject(refused);
    expect(await store.workPending()).toBe(0);
  });

  test('a server that dies makes a retryable error, and is used again when it is back', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const store = new PostgresServiceStore(await database(server.url), 'whale_archive');
    await Promise.all(Array.from({ length: 9 }, (_, i) => store.commit({ inbox: [`e${i}`] })));
    const busy = Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => store.commit({ inbox: [`f${i}`], documents: new Map([['doc', i]]) })),
    );
    await server.kill();
    const broken = (await busy).filter((one) => one.status === 'rejected');
    expect(broken.length).toBeGreaterThan(0);
    for (const { reason } of broken) expect(reason).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await expect(store.seen(['e1'])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await server.restart();
    expect((await store.seen(['e1', 'e8'])).size).toBe(2);
    await store.commit({ inbox: ['again'] });
    // All connections are idle when the server goes away: nobody is asked, and nobody crashes.
    await server.restart();
    await store.commit({ inbox: ['after'] });
  });
});
