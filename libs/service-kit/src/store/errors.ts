import { WhaleError } from '@whale/kernel';

type StoreErrorCode =
  | 'STORE_DUPLICATE'
  | 'STORE_STALE_CONSUMER'
  | 'STORE_STALE_DOCUMENT'
  | 'STORE_FULL'
  | 'STORE_IO'
  /** The data cannot be stored, and never will be: too deep, too large, no JSON. */
  | 'STORE_VALUE';

export class StoreError extends WhaleError {
  constructor(code: StoreErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'StoreError';
  }
}
