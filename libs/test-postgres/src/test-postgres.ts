import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { EnvironmentError } from '@whale/kernel';
import pg from 'pg';
import { nextAnswer, startGuardian } from './start-postgres.ts';

const LONGEST_START_MS = 60_000;

export interface TestPostgres {
  /** Makes an empty database and gives its url. */
  database(): Promise<string>;
  /** Drops the databases that were made, also when somebody is still connected. */
  close(): Promise<void>;
}

/**
 * The PostgreSQL server that the tests of one run share: the one of `WHALE_TEST_DATABASE` (a url whose user may make
 * databases), else an embedded one, which the first caller starts (3 s) and which ends with the run. Where it can't run
 * this is null, and a line says that `what` is skipped; with `CI` set it is an error instead.
 */
export async function testPostgres(what: string): Promise<TestPostgres | null> {
  let url: string;
  try {
    url = process.env['WHALE_TEST_DATABASE'] ?? (await sharedServer());
    await asking(url, (client) => client.query('SELECT 1'));
  } catch (error) {
    if (process.env['CI']) throw error;
    const { message } = error as Error;
    console.log(`skipped: ${what} (no PostgreSQL: ${message}; set WHALE_TEST_DATABASE=postgresql://…)`);
    return null;
  }
  const made: string[] = [];
  return {
    database: async () => {
      const name = `whale_test_${crypto.randomUUID().replaceAll('-', '')}`;
      await asking(url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
      made.push(name);
      const own = new URL(url);
      own.pathname = `/${name}`;
      return own.href;
    },
    close: () =>
      asking(url, async (client) => {
        for (const name of made.splice(0)) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

async function asking<T>(url: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}

interface Announced {
  guardian: number;
  url?: string;
  failed?: string;
}

/** Test files run in forks of one process: whoever comes first starts the server, and it ends with that process. */
async function sharedServer(): Promise<string> {
  const parent = process.env['VITEST'] && isMainThread ? process.ppid : process.pid;
  const folder = join(tmpdir(), `whale-postgres-of-${process.getuid?.() ?? 0}-${parent}`);
  const announce = join(folder, 'server.json');
  if (await isStale(folder, announce)) await rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { mode: 0o700 });
    const guardian = startGuardian({ parent, settings: {}, announce });
    await nextAnswer(guardian);
    guardian.disconnect();
    guardian.unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const { url, failed } = await announced(announce);
  if (url) return url;
  throw new EnvironmentError(failed ?? 'no url');
}

async function announced(announce: string): Promise<Announced> {
  const end = performance.now() + LONGEST_START_MS;
  for (;;) {
    const found = await read(announce);
    if (found) return found;
    if (performance.now() > end) throw new EnvironmentError(`PostgreSQL was not started within ${LONGEST_START_MS} ms`);
    await sleep(50);
  }
}

async function read(announce: string): Promise<Announced | null> {
  const text = await readFile(announce, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Announced);
}

/** Left behind by an earlier process of the same id. */
async function isStale(folder: string, announce: string): Promise<boolean> {
  const made = await stat(folder).catch(() => null);
  if (!made) return false;
  const found = await read(announce);
  if (!found) return Date.now() - made.mtimeMs > LONGEST_START_MS;
  try {
    process.kill(found.guardian, 0);
    return false;
  } catch {
    return true;
  }
}
