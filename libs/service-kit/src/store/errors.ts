import { WhaleError } from '@whale/kernel';

export type StoreErrorCode =
  | 'STORE_DUPLICATE'
  | 'STORE_STALE_CONSUMER'
  | 'STORE_STALE_DOCUMENT'
  /** Another transaction was in the way (a deadlock, a lock, a time limit): the same again may succeed. */
  | 'STORE_CONFLICT'
  /** The database cannot be reached at the moment; whether the last commit took place is not known. */
  | 'STORE_UNAVAILABLE'
  /** Data that the store has no place for, and never will: U+0000 in a key, JSON too deep or too large. */
  | 'STORE_UNSTORABLE'
  | 'STORE_FULL'
  /** The tables were dropped under a running service, which must not go on from where it was: only a new start helps. */
  | 'STORE_GONE'
  | 'STORE_IO';

export class StoreError extends WhaleError {
  constructor(code: StoreErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'StoreError';
  }
}
