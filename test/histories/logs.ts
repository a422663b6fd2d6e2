import { join } from 'node:path';
import { FolderBlobStore, type BlobStore } from '@whale/blob-store';
import { topicDefinitions } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { scratchFolder } from '../support/whale-process.ts';

export interface FreshLog {
  log: EventLog;
  blobs: BlobStore;
  remove(): Promise<void>;
}

/** An adapter of the log; each `open` gives an empty log with all topics. */
export interface LogAdapter {
  name: string;
  open(): Promise<FreshLog>;
}

const sqlite: LogAdapter = {
  name: 'sqlite',
  open: async () => {
    const folder = scratchFolder('histories');
    const log = await SqliteEventLog.open({ path: join(folder.path, 'log.sqlite') });
    await log.ensureTopics(topicDefinitions());
    const remove = async () => {
      await log.close();
      folder.remove();
    };
    return { log, blobs: new FolderBlobStore(join(folder.path, 'blobs')), remove };
  },
};

/** The frozen records are read on each of them. */
export const LOG_ADAPTERS: readonly LogAdapter[] = [sqlite];
