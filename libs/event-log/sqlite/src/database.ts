import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { LogError } from '@whale/event-log';
import { isBusy, leftOpen, readOnly, toLogError } from './errors.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';

/** How long SQLite itself may wait for a lock, ms. It blocks the event loop, so the longer wait is `retrying`'s. */
const NATIVE_BUSY_MS = 10;
const WAL_KEPT_BYTES = 64 << 20;

export interface DatabaseOptions {
  path: string;
  /** Ms that an operation goes on trying while other processes hold the lock. */
  busyTimeoutMs: number;
  /** Quota of the file in bytes. */
  maxBytes?: number | undefined;
  /** A file that cannot be written, or whose folder cannot, is opened for reading. */
  onlyReads?: boolean | undefined;
}

type Parameter = string | number | null | Uint8Array;

/** One connection, synchronous. The library's errors become a `LogError` in `open` and `retrying`: work goes through them. */
export class LogDatabase {
  /** Without symbolic links: the same for all connections to one file. */
  readonly realPath: string;
  readonly #connection: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #busyTimeoutMs: number;
  #open = true;

  private constructor(connection: Database.Database, path: string, busyTimeoutMs: number) {
    this.#connection = connection;
    this.realPath = realpathSync(path);
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  static async open(options: DatabaseOptions): Promise<LogDatabase> {
    const path = resolve(options.path);
    const writable = prepareFolder(path, options.onlyReads === true);
    return retryWhileBusy(path, options.busyTimeoutMs, () => {
      const connection = new Database(writable ? path : readableName(path), { timeout: NATIVE_BUSY_MS });
      try {
        if (writable) initialise(connection, path, options.maxBytes);
        else inspect(connection, path);
        return new LogDatabase(connection, path, options.busyTimeoutMs);
      } catch (error) {
        connection.close();
        throw error;
      }
    });
  }

  /** Runs `work`, again and again with pauses while the file is locked, then rejects with `LOG_BUSY`. */
  retrying<T>(work: () => T): Promise<T> {
    return retryWhileBusy(this.realPath, this.#busyTimeoutMs, () => {
      this.#assertOpen();
      return work();
    });
  }

  /** One IMMEDIATE transaction; whatever `work` throws undoes all of it. */
  transaction<T>(work: () => T): T {
    this.#connection.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#connection.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk has already rolled back by itself.
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK');
      throw error;
    }
  }

  /** A transaction that survives the death of the process but maybe not of the machine: for leases, not for records. */
  unsyncedTransaction<T>(work: () => T): T {
    this.#connection.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.transaction(work);
    } finally {
      this.#connection.exec('PRAGMA synchronous = FULL');
    }
  }

  rows<Row>(sql: string, ...parameters: Parameter[]): Row[] {
    return this.#prepare(sql).all(parameters) as Row[];
  }

  row<Row>(sql: string, ...parameters: Parameter[]): Row | undefined {
    return this.rows<Row>(sql, ...parameters)[0];
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: Parameter[]): number {
    return this.#prepare(sql).run(parameters).changes;
  }

  /** Moves the write-ahead log into the file if nobody else is in the way, and lets go of the connection. */
  close(): void {
    if (!this.#open) return;
    try {
      this.rows('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Only tidiness: the next opener finds the same records in the write-ahead log.
    }
    this.#open = false;
    // The library keeps the file open for as long as a statement is alive.
    this.#statements.clear();
    this.#connection.close();
  }

  #prepare(sql: string): Database.Statement {
    this.#assertOpen();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #assertOpen(): void {
    if (!this.#open) throw new LogError('LOG_CLOSED', `event log ${this.realPath} is closed`);
  }
}

async function retryWhileBusy<T>(path: string, timeoutMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toLogError(error, path);
    }
    // Jitter keeps two writers out of step. It decides nothing but when to ask again.
    await sleep(pause * (0.5 + Math.random()));
  }
}

/**
 * Whether the file can be written; false only for who reads. Never opens the file by itself: closing any descriptor of
 * it would drop SQLite's locks of this whole process.
 */
function prepareFolder(path: string, onlyReads: boolean): boolean {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true });
    if (existsSync(path)) {
      if (statSync(path).isDirectory()) {
        throw new LogError('LOG_IO', `event log ${path} is a directory; name a file inside it`);
      }
      accessSync(path, constants.R_OK | constants.W_OK);
    }
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      if (onlyReads && isReadable(path)) return false;
      throw readOnly(path, error);
    }
    if (code === 'ENOSPC') throw toLogError({ code: 'SQLITE_FULL' }, path);
    throw error instanceof LogError
      ? error
      : new LogError('LOG_IO', `folder ${folder} of the event log cannot be made: ${(error as Error).message}`, {
          cause: error,
        });
  }
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * As SQLite opens a file that cannot be written. A log that was closed has no write-ahead log, and nothing can make the
 * shared memory of one: it is read as a file that does not change. Else the records that lie in it must be seen.
 */
function readableName(path: string): string {
  if (!existsSync(`${path}-wal`)) return `${pathToFileURL(path).href}?immutable=1`;
  if (!isReadable(`${path}-shm`)) throw leftOpen(path);
  return path;
}

function inspect(connection: Database.Database, path: string): void {
  checkIdentity(pragmaOf(connection, 'application_id'), pragmaOf(connection, 'user_version'), path);
}

function pragmaOf(connection: Database.Database, name: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${name}`).all()[0] as object)[0];
}

function initialise(connection: Database.Database, path: string, maxBytes: number | undefined): void {
  const pragma = (name: string) => pragmaOf(connection, name);
  const isEmpty = () => connection.prepare('SELECT 1 FROM sqlite_master LIMIT 1').all().length === 0;
  if (!isEmpty()) checkIdentity(pragma('application_id'), pragma('user_version'), path);
  pragma('journal_mode = WAL');
  connection.exec(`PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF;`);
  pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
  if (maxBytes !== undefined) {
    pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / (pragma('page_size') as number)))}`);
  }
  if (!isEmpty()) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    // Asked again under the lock: another process may have been first.
    if (isEmpty()) connection.exec(SCHEMA);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function checkIdentity(applicationId: unknown, version: unknown, path: string): void {
  if (applicationId !== APPLICATION_ID) {
    throw new LogError('LOG_CORRUPT', `${path} is a database of another program, not an event log; name another file`);
  }
  if (version !== SCHEMA_VERSION) {
    throw new LogError(
      'LOG_CORRUPT',
      `event log ${path} has format ${String(version)}, this version of whale reads format ${SCHEMA_VERSION}; use the version that wrote it`,
    );
  }
}
