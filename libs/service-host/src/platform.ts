import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import type { ServiceName } from '@whale/contracts';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { EnvironmentError, systemClock } from '@whale/kernel';
import { ReadModels, SqliteServiceStore, type Platform } from '@whale/service-kit';

export interface DataFolder {
  root: string;
  log: string;
  blobs: string;
  reports: string;
  /** One SQLite file for all read models, for analysts. */
  readModels: string;
  store: (service: ServiceName) => string;
}

/** Where things lie under `--data DIR`. Everything but `log.sqlite` and `blobs` can be deleted: it is rebuilt. */
export function dataFolder(directory: string): DataFolder {
  const root = resolve(directory);
  return {
    root,
    log: join(root, 'log.sqlite'),
    blobs: join(root, 'blobs'),
    reports: join(root, 'reports'),
    readModels: join(root, 'read-models.sqlite'),
    store: (service) => join(root, 'services', `${service}.sqlite`),
  };
}

export interface OpenPlatform extends Platform {
  folder: DataFolder;
  close(): Promise<void>;
}

/** The embedded platform: log, blobs and stores as files below one folder. Throws EnvironmentError. */
export async function openPlatform(
  directory: string,
  onTrouble: Platform['onTrouble'] = () => undefined,
): Promise<OpenPlatform> {
  const folder = dataFolder(directory);
  try {
    makeFolder(folder.root);
    accessSync(folder.root, constants.W_OK);
  } catch (cause) {
    throw new EnvironmentError(
      `the data folder ${folder.root} cannot be written to: ${(cause as Error).message}. Choose another with --data DIR.`,
      { cause },
    );
  }
  const log = await SqliteEventLog.open({ path: folder.log });
  const readModels = new ReadModels({ path: folder.readModels });
  return {
    folder,
    log,
    blobs: new FolderBlobStore(folder.blobs),
    clock: systemClock,
    store: (service) => new SqliteServiceStore(folder.store(service)),
    readModels,
    onTrouble,
    close: async () => {
      await readModels.close();
      await log.close();
    },
  };
}

/** Level by level: Node's recursive mkdir never returns where a file system answers ENOENT (below /proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}
