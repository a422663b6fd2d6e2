import { accessSync, constants } from 'node:fs';
import type { EventLog } from '@whale/event-log';
import { EnvironmentError, makeFolder, systemClock } from '@whale/kernel';
import { ReadModels, type Platform } from '@whale/service-kit';
import { dataFolder, type DataFolder } from './data-folder.ts';
import type { PlatformLocation } from './location.ts';
import { openBlobs } from './open-blobs.ts';
import { openLog } from './open-log.ts';
import { openState } from './open-state.ts';

export interface OpenPlatform extends Platform {
  folder: DataFolder;
  close(): Promise<void>;
}

/** Log, blobs, stores and read models of a location. Throws EnvironmentError, InputError, LogError. */
export async function openPlatform(
  location: PlatformLocation,
  onTrouble: Platform['onTrouble'] = () => undefined,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<OpenPlatform> {
  const folder = dataFolder(location.data);
  try {
    makeFolder(folder.root);
    accessSync(folder.root, constants.W_OK);
  } catch (cause) {
    throw new EnvironmentError(
      `the data folder ${folder.root} cannot be written to: ${(cause as Error).message}. Choose another with --data DIR.`,
      { cause },
    );
  }
  const state = await openState(location, environment);
  let log: EventLog;
  try {
    log = await openLog(location, environment);
  } catch (error) {
    await state.close();
    throw error;
  }
  const readModels = new ReadModels(state.readModels);
  return {
    folder,
    log,
    blobs: openBlobs(location),
    clock: systemClock,
    logName: location.log === null ? 'the embedded log' : await kafkaName(location.log, environment),
    messagingSystem: location.log === null ? 'sqlite' : 'kafka',
    store: (service) => state.store(service).open(),
    readModels,
    onTrouble,
    close: async () => {
      await readModels.close();
      await log.close();
      await state.close();
    },
  };
}

async function kafkaName(url: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const { kafkaSettings } = await import('@whale/event-log-kafka');
  return `the log on Kafka with topics ${kafkaSettings(url, environment).topicPrefix}whale.…`;
}
