import { LogError } from './event-log.ts';

const FIRST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 5_000;

/** How long a partition waits after a failed delivery, ms; `failures` before this one. */
export function backOffMs(failures: number): number {
  return Math.min(FIRST_BACK_OFF_MS * 2 ** failures, LONGEST_BACK_OFF_MS);
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
