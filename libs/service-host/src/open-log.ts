import { existsSync } from 'node:fs';
import { LogError, type EventLog } from '@whale/event-log';
import { EnvironmentError } from '@whale/kernel';
import { dataFolder } from './data-folder.ts';
import type { PlatformLocation } from './location.ts';

/** The log of a location. Throws LogError, InputError for settings that cannot be, EnvironmentError. */
export async function openLog(
  location: PlatformLocation,
  environment: NodeJS.ProcessEnv,
  options: { patienceMs?: number } = {},
): Promise<EventLog> {
  if (location.log !== null) {
    // The client takes a while to load; the embedded default does not pay for it.
    const { KafkaEventLog, kafkaSettings } = await import('@whale/event-log-kafka');
    return KafkaEventLog.open(kafkaSettings(location.log, environment), options).catch((cause: unknown) => {
      throw cannotBeUsed(location.log as string, cause);
    });
  }
  const { SqliteEventLog } = await import('@whale/event-log-sqlite');
  return SqliteEventLog.open({ path: dataFolder(location.data).log });
}

/**
 * The same for looking: null where an embedded log was never written, so that looking makes no file; one that cannot be
 * written can be read.
 */
export async function openExistingLog(
  location: PlatformLocation,
  environment: NodeJS.ProcessEnv,
): Promise<EventLog | null> {
  if (location.log !== null) return openLog(location, environment);
  const path = dataFolder(location.data).log;
  if (!existsSync(path)) return null;
  const { SqliteEventLog } = await import('@whale/event-log-sqlite');
  return SqliteEventLog.open({ path, onlyReads: true });
}

function cannotBeUsed(url: string, cause: unknown): unknown {
  if (!(cause instanceof LogError)) return cause;
  // A refusal says itself what to set.
  const remedy =
    cause.code === 'LOG_UNAUTHORIZED'
      ? ''
      : '. Start it (npm run kafka for one to try), or correct --log or WHALE_LOG.';
  return new EnvironmentError(`the log ${url} cannot be used: ${cause.message}${remedy}`, {
    cause,
    retryable: cause.retryable,
  });
}
