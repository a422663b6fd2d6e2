import { WhaleError } from '@whale/kernel';

type StoreErrorCode =
  | 'STORE_DUPLICATE'
  | 'STORE_STALE_CONSUMER'
  | 'STORE_STALE_DOCUMENT'
  /** Another transaction was in the way (a deadlock, say): the same again may succeed. */
  | 'STORE_CONFLICT'
  /** The database cannot be reached at the moment; whether the last commit took place is not known. */
  | 'STORE_UNAVAILABLE'
  /** Data that the store has no place for, and never will: U+0000 in a key, JSON too deep or too large. */
  | 'STORE_UNSTORABLE'
  | 'STORE_FULL'
  | 'STORE_IO';

export class StoreError extends WhaleError {
  constructor(code: StoreErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'StoreError';
  }
}
