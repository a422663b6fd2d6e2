import type { DataSource, DataSourceOptions } from 'typeorm';
import type { ClientBase, Pool, PoolClient, QueryConfig } from 'pg';
import { EnvironmentError } from '@whale/kernel';
import type { StoreError } from './errors.ts';
import { sqlState, storeErrorOf } from './postgres-errors.ts';
import { parseUrl, SSL_MODES_TEXT } from './postgres-url.ts';
import { silentLogger } from '../projection/silent-logger.ts';

export interface PostgresOptions {
  /** Most connections of this process, shared by all its services (10). */
  pool?: number;
}

export interface Statement {
  /** Prepared once a connection under this name; unique to the text. */
  name?: string;
  text: string;
  values?: readonly unknown[];
}

export type Row = Record<string, unknown>;
export type Ask = (statement: Statement) => Promise<Row[]>;

const CONNECT_MS = 10_000;
/** A connection in use on which nothing moves for so long is taken for dead. */
const SILENCE_MS = 60_000;
const OLDEST_VERSION = 130_000;
const BIGINT = 20;
/** What Node and the driver say when the two sides do not agree on TLS, or the certificate is not trusted. */
const TLS_TROUBLE = /\bSSL\b|\bTLS\b|CERT|certificate/u;

/**
 * One PostgreSQL database for all stores and read models of a process, with one pool of connections. Connections that
 * break are replaced as they are needed; what was under way then fails with STORE_UNAVAILABLE, which is retryable.
 */
export class PostgresDatabase {
  /** Host, port and name, for messages: nothing secret. */
  readonly place: string;
  readonly #pool: Pool;

  private constructor(place: string, pool: Pool) {
    this.place = place;
    this.#pool = pool;
  }

  /**
   * Connects to `postgresql://user:password@host:port/database?sslmode=…`. Throws InputError for another url, which it
   * does not repeat, and EnvironmentError where there is no such database, it may not be used, or it is too old (13) or not in UTF-8.
   */
  static async open(url: string, { pool: max = 10 }: PostgresOptions = {}): Promise<PostgresDatabase> {
    const { place, connectionString } = parseUrl(url);
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({
      connectionString,
      max,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: 'whale',
      onConnect: boundIdling as (client: ClientBase) => void,
      types: {
        // Counts, offsets and times in ms: all of them are exact as numbers.
        getTypeParser: (type: number, format?: 'text' | 'binary') =>
          type === BIGINT ? Number : pg.types.getTypeParser(type, format as 'text'),
      },
    });
    // A connection that breaks tells so itself, besides failing what is asked of it; unheard it would end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      endSilence(client);
    });
    const database = new PostgresDatabase(place, pool);
    try {
      await database.#check();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** One statement, a transaction of its own. Throws StoreError. */
  ask(statement: Statement): Promise<Row[]> {
    return this.#connected((ask) => ask(statement));
  }

  /**
   * `begin` starts a transaction by SQL of its own and may do more in the same round trip. The transaction is committed
   * when `work` is done. Throws StoreError, or what `work` throws.
   */
  transaction<T>(begin: string, work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#connected(async (ask) => {
      try {
        await ask({ text: begin });
        const result = await work(ask);
        await ask({ text: 'COMMIT' });
        return result;
      } catch (error) {
        // On a connection that is lost there is nothing to roll back, and the first error is the one to tell.
        await ask({ text: 'ROLLBACK' }).catch(() => undefined);
        throw error;
      }
    });
  }

  /** A TypeORM data source on the connections of this pool. It holds nothing of its own and needs no end. */
  async dataSource(options: Partial<DataSourceOptions> & { schema: string }): Promise<DataSource> {
    const { DataSource } = await import('typeorm');
    const pool = this.#pool;
    const borrowed = {
      on: () => undefined,
      connect: (callback: Parameters<Pool['connect']>[0]) =>
        pool.connect((error, ...rest) => callback(error && storeErrorOf(error, this.place), ...rest)),
      end: (callback: () => void) => callback(),
    };
    const Pool = function () {
      return borrowed;
    };
    const source = new DataSource({
      ...options,
      logger: silentLogger,
      type: 'postgres',
      driver: { Pool },
      installExtensions: false,
    } as DataSourceOptions);
    await source.initialize();
    return source;
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #connected<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw storeErrorOf(error, this.place);
    });
    let broken = false;
    try {
      return await work(async (statement) => {
        try {
          const { rows } = await client.query<Row>(statement as QueryConfig);
          return rows;
        } catch (cause) {
          const error = storeErrorOf(cause, this.place);
          broken ||= error.code === 'STORE_UNAVAILABLE';
          throw error;
        }
      });
    } finally {
      client.release(broken);
    }
  }

  async #check(): Promise<void> {
    const settings =
      "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding";
    let found: Row | undefined;
    try {
      found = (await this.ask({ text: settings }))[0];
    } catch (error) {
      const { cause, message, retryable } = error as StoreError;
      throw new EnvironmentError(`cannot use the database: ${message}. ${remedy(cause as Error)}`, {
        cause,
        retryable,
      });
    }
    if ((found?.['version'] as number) < OLDEST_VERSION || found?.['encoding'] !== 'UTF8') {
      throw new EnvironmentError(
        `cannot use ${this.place}: version ${String(found?.['version'])} in ${String(found?.['encoding'])}. ` +
          'Use PostgreSQL 13 or later with a database in UTF8.',
      );
    }
  }
}

function remedy(cause: Error): string {
  const code = sqlState(cause);
  if (code === '3D000') return 'Make the database with createdb.';
  if (code?.startsWith('28')) return 'Check user, password and sslmode in the url.';
  if (code === undefined && TLS_TROUBLE.test(`${(cause as { code?: string }).code} ${cause.message}`)) {
    return `Correct sslmode in the url: ${SSL_MODES_TEXT}.`;
  }
  return 'Start PostgreSQL, or correct the url.';
}

/** The locks of a process that is stopped in a transaction are not waited for without end. The pool awaits this. */
async function boundIdling(client: ClientBase): Promise<void> {
  await client.query(`SET idle_in_transaction_session_timeout = ${SILENCE_MS}`);
}

/** Without this a connection to a machine that has vanished is waited for until the kernel gives up: a quarter hour. */
function endSilence(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: import('node:net').Socket } }).connection;
  stream.setTimeout(SILENCE_MS, () => stream.destroy(new Error(`no answer for ${SILENCE_MS} ms`)));
}
