import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startPostgres, type RunningPostgres } from './start-postgres.ts';
import { testPostgres } from './test-postgres.ts';

const LIMIT_MS = 90_000;
vi.setConfig({ testTimeout: LIMIT_MS });

const postgres = await testPostgres('the PostgreSQL of the tests');

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(!postgres)('the server that tests share', () => {
  test('gives each caller a database of its own, which goes away with it', async () => {
    const [one, two] = [await postgres?.database(), await postgres?.database()] as [string, string];
    await ask(one, 'CREATE TABLE t (x int)');
    expect(await ask(two, "SELECT to_regclass('t') AS t")).toEqual([{ t: null }]);
    await postgres?.close();
    await expect(ask(one, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  test('is one server, also for a second caller', async () => {
    const again = await testPostgres('the same server');
    const urls = [await postgres?.database(), await again?.database()].map((url) => new URL(url as string).host);
    expect(urls[0]).toBe(urls[1]);
    await postgres?.close();
    await again?.close();
  });
});

describe.skipIf(!postgres)('a server of its own', () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  }, LIMIT_MS);
  afterAll(() => server.stop(), LIMIT_MS);

  test('is killed, stays down, and comes back at the same place with what was committed', async () => {
    await ask(server.url, 'CREATE TABLE t AS SELECT 7 AS x');
    await server.kill();
    await expect(ask(server.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.restart();
    expect(await ask(server.url, 'SELECT x FROM t')).toEqual([{ x: 7 }]);
    await server.restart();
    expect(await ask(server.url, 'SELECT x FROM t')).toEqual([{ x: 7 }]);
  });

  test('ends with the process that started it, even when that is killed', async () => {
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const child = spawn(
      process.execPath,
      ['--import', tsx, fileURLToPath(new URL('./support/start-and-hang.ts', import.meta.url))],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const url = said.toString().trim();
    expect(await ask(url, 'SELECT 1 AS x')).toEqual([{ x: 1 }]);
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(ask(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' }), 30_000);
  });
});
