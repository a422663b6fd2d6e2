/**
 * The error model. A business failure (a wrong answer, a rejected candidate) is an event, not an error. What is thrown
 * is infrastructure or a bug, and carries a stable `code`, whether trying again can help, and the `cause`.
 */
export class WhaleError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WhaleError';
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** Bad input from a person: the message says what, where and what was expected. The command exits with 2. */
export class InputError extends WhaleError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super('INPUT', message, options);
    this.name = 'InputError';
  }
}

/** The environment lacks something: the message says how to get it. The command exits with 3. */
export class EnvironmentError extends WhaleError {
  constructor(message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super('ENVIRONMENT', message, options);
    this.name = 'EnvironmentError';
  }
}

export function isRetryable(error: unknown): boolean {
  return error instanceof WhaleError && error.retryable;
}

export interface ErrorDescription {
  code: string;
  message: string;
  retryable: boolean;
}

/** What an event or a log line says of an error. Unknown errors are `UNEXPECTED` and not retryable. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof WhaleError) return { code: error.code, message: error.message, retryable: error.retryable };
  if (error instanceof Error) return { code: 'UNEXPECTED', message: error.message, retryable: false };
  return { code: 'UNEXPECTED', message: String(error), retryable: false };
}
