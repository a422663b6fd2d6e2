import type Database from 'libsql';
import { EnvironmentError } from '@whale/kernel';

/** Raised when tables change that are there; all is rebuilt from the log, so there is nothing to migrate. */
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS inbox (event_id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS document (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, revision INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, key TEXT NOT NULL, headers TEXT NOT NULL,
    value TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS work (
    place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, payload TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, owner TEXT, lease_until INTEGER
  );
  CREATE TABLE IF NOT EXISTS checkpoint (
    topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mark (
    topic TEXT NOT NULL, partition INTEGER NOT NULL, record_offset INTEGER NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (topic, partition)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS log (one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL);
`;

/** Makes the tables of a new file. Throws EnvironmentError for a file with other tables. */
export function prepareFile(db: InstanceType<typeof Database>, path: string): void {
  const found = db.prepare('PRAGMA user_version').all() as { user_version: number }[];
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as unknown[];
  const version = found[0]?.user_version ?? 0;
  if (tables.length > 0 && version !== VERSION) {
    throw new EnvironmentError(
      `the service store ${path} was written by another version of whale (${version}, this one reads ${VERSION}). ` +
        'Delete the file: what it holds is rebuilt from the log.',
    );
  }
  db.exec(`${SCHEMA} PRAGMA user_version = ${VERSION};`);
}
