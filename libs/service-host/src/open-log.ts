import { existsSync } from 'node:fs';
import { LogError, type EventLog } from '@whale/event-log';
import { EnvironmentError } from '@whale/kernel';
import { dataFolder } from './data-folder.ts';
import { withoutPassword, type PlatformLocation } from './location.ts';

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
    const settings = kafkaSettings(location.log, options.environment);
    return KafkaEventLog.open(settings, { onTrouble: options.onTrouble }).catch((cause: unknown) => {
      throw cannotBeUsed(location.log as string, cause);
    });
  }
  const { SqliteEventLog } = await import('@whale/event-log-sqlite');
  return SqliteEventLog.open({ path: dataFolder(location.data).log });
}

/** The same for reading: null where an embedded log was never written, so that looking makes no file. */
export async function openExistingLog(location: PlatformLocation, options: OpenLogOptions): Promise<EventLog | null> {
  if (location.log === null && !existsSync(dataFolder(location.data).log)) return null;
  return openLog(location, options);
}

function cannotBeUsed(url: string, cause: unknown): unknown {
  if (!(cause instanceof LogError)) return cause;
  const remedy =
    cause.code === 'LOG_UNAUTHORIZED'
      ? 'Check WHALE_KAFKA_USERNAME, WHALE_KAFKA_PASSWORD and WHALE_KAFKA_SASL_MECHANISM.'
      : 'Start it (npm run kafka for one to try), or correct --log or WHALE_LOG.';
  return new EnvironmentError(`the log ${withoutPassword(url)} cannot be used: ${cause.message}. ${remedy}`, {
    cause,
    retryable: cause.retryable,
  });
}
