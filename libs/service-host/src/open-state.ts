import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@whale/contracts';
import {
  PostgresDatabase,
  postgresOptions,
  PostgresServiceStore,
  SqliteServiceStore,
  type ReadModelOptions,
  type ServiceStore,
} from '@whale/service-kit';
import { dataFolder } from './data-folder.ts';
import type { PlatformLocation } from './location.ts';

/** Where one service keeps its state. */
export interface StorePlace {
  /** Looks without making it. */
  exists(): Promise<boolean>;
  open(): ServiceStore;
}

/** What is rebuilt from the log when it is deleted: the services' stores and the read models. */
export interface OpenState {
  store(service: ServiceName): StorePlace;
  readModels: ReadModelOptions;
  close(): Promise<void>;
}

/** Files of the data folder, or schemas of a database. Throws EnvironmentError, InputError. */
export async function openState(location: PlatformLocation, environment: NodeJS.ProcessEnv): Promise<OpenState> {
  if (location.database === null) return files(location, environment);
  const database = await PostgresDatabase.open(location.database, postgresOptions(environment));
  return {
    store: (service) => {
      const schema = `whale_${service.replaceAll('-', '_')}`;
      return {
        exists: () => PostgresServiceStore.exists(database, schema),
        open: () => new PostgresServiceStore(database, schema),
      };
    },
    readModels: { database, schema: 'whale_read' },
    close: () => database.close(),
  };
}

/** State holds offsets of its log, so each log has files of its own in the folder. */
function files(location: PlatformLocation, environment: NodeJS.ProcessEnv): OpenState {
  const prefix = environment['WHALE_KAFKA_TOPIC_PREFIX'] ?? '';
  const name = location.log === null ? null : `${location.log}/${prefix}`.replace(/[^\w.]+/gu, '-');
  const folder = dataFolder(name === null ? location.data : join(location.data, 'logs', name));
  return {
    store: (service) => {
      const path = folder.store(service);
      return { exists: async () => existsSync(path), open: () => new SqliteServiceStore(path) };
    },
    readModels: { path: folder.readModels },
    close: async () => undefined,
  };
}
