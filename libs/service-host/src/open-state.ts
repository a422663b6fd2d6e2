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
async function files({ data, log }: PlatformLocation, environment: NodeJS.ProcessEnv): Promise<OpenState> {
  const folder = dataFolder(log === null ? data : join(data, 'logs', await nameOf(log, environment)));
  return {
    store: (service) => {
      const path = folder.store(service);
      return { exists: async () => existsSync(path), open: () => new SqliteServiceStore(path) };
    },
    readModels: { path: folder.readModels },
    close: async () => undefined,
  };
}

async function nameOf(log: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const { kafkaSettings } = await import('@whale/event-log-kafka');
  return `${log}/${kafkaSettings(log, environment).topicPrefix}`.replace(/[^\w.]+/gu, '-');
}
