import { join, resolve } from 'node:path';
import type { ServiceName } from '@whale/contracts';

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
