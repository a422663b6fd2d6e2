import { LogError } from './event-log.ts';

/** The pauses of a partition after failed deliveries, ms: the first one, then each twice the one before. */
export interface BackOff {
  firstMs: number;
  longestMs: number;
}

export const DEFAULT_BACK_OFF: BackOff = { firstMs: 100, longestMs: 5_000 };

/** How long a partition waits after a failed delivery, ms; `failures` before this one. */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff): number {
  return Math.min(firstMs * 2 ** failures, longestMs);
}

/**
 * Refuses a checkpoint at which a partition cannot begin: one that is no offset (RangeError), or one past `head`
 * (`LOG_CORRUPT`; `because` says how that comes about).
 */
export function checkCheckpoint(name: string, next: number, head: number, because: string): void {
  if (!Number.isSafeInteger(next) || next < 0) {
    throw new RangeError(`checkpoint of ${name} is ${next}, not an offset`);
  }
  if (next <= head) return;
  throw new LogError(
    'LOG_CORRUPT',
    `checkpoint ${next} of ${name} lies past the end of the log (${head}): ${because}. Restore it, or rebuild the state of this consumer`,
  );
}
