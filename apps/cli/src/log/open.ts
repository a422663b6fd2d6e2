import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FolderBlobStore, type BlobStore } from '@whale/blob-store';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import type { EventLog } from '@whale/event-log';

export interface OpenData {
  log: EventLog;
  blobs: BlobStore;
  close(): Promise<void>;
}

/** Opens existing data for reading; null when there are none, so that looking makes no folder. Throws LogError. */
export async function openData(data: string): Promise<OpenData | null> {
  const path = join(data, 'log.sqlite');
  if (!existsSync(path)) return null;
  const log = await SqliteEventLog.open({ path });
  return { log, blobs: new FolderBlobStore(join(data, 'blobs')), close: () => log.close() };
}

/** Runs `work` on existing data and closes them after it. */
export async function withData<T>(data: string, work: (open: OpenData | null) => Promise<T>): Promise<T> {
  const open = await openData(data);
  try {
    return await work(open);
  } finally {
    await open?.close();
  }
}
