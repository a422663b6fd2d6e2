import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SqliteEventLog, type SqliteEventLogOptions } from '../sqlite-event-log.ts';

/** A new folder that goes away with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A log that is closed with the test; in a folder of its own unless a path is given. */
export async function temporaryLog(options: Partial<SqliteEventLogOptions> = {}): Promise<SqliteEventLog> {
  const path = options.path ?? join(await temporaryFolder(), 'log.db');
  const log = await SqliteEventLog.open({ ...options, path });
  onTestFinished(() => log.close());
  return log;
}
