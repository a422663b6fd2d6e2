import { existsSync } from 'node:fs';
import type { EventLog } from '@whale/event-log';
import { dataFolder } from './data-folder.ts';
import type { PlatformLocation } from './location.ts';

export interface OpenLogOptions {
  environment: NodeJS.ProcessEnv;
  /** Told when the log goes away and when it is back. */
  onTrouble?: (message: string) => void;
}

/** The log of a location. Throws LogError, InputError for settings that cannot be, EnvironmentError. */
export async function openLog(location: PlatformLocation, options: OpenLogOptions): Promise<EventLog> {
  if (location.log !== null) {
    // The client takes a while to load; the embedded default does not pay for it.
    const { KafkaEventLog, kafkaSettings } = await import('@whale/event-log-kafka');
    return KafkaEventLog.open(kafkaSettings(location.log, options.environment), { onTrouble: options.onTrouble });
  }
  const { SqliteEventLog } = await import('@whale/event-log-sqlite');
  return SqliteEventLog.open({ path: dataFolder(location.data).log });
}

/** The same for reading: null where an embedded log was never written, so that looking makes no file. */
export async function openExistingLog(location: PlatformLocation, options: OpenLogOptions): Promise<EventLog | null> {
  if (location.log === null && !existsSync(dataFolder(location.data).log)) return null;
  return openLog(location, options);
}
