import { WhaleError } from '@whale/kernel';

type StoreErrorCode = 'STORE_DUPLICATE' | 'STORE_STALE_CONSUMER' | 'STORE_STALE_DOCUMENT' | 'STORE_FULL' | 'STORE_IO';

export class StoreError extends WhaleError {
  constructor(code: StoreErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'StoreError';
  }
}
