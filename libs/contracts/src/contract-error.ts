import { WhaleError } from '@whale/kernel';

/** `EVENT_VERSION_NEWER`: a known event in a version that only a later release reads. */
export type ContractErrorCode =
  'EVENT_MALFORMED' | 'EVENT_TYPE_UNKNOWN' | 'EVENT_VERSION_NEWER' | 'EVENT_SCHEMA' | 'EVENT_TOPIC';

export class ContractError extends WhaleError {
  declare readonly code: ContractErrorCode;

  constructor(code: ContractErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'ContractError';
  }
}
