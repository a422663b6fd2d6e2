import { StoreError } from './errors.ts';

/** SQLSTATEs after which the same again may succeed, since the server only is not there or not up to it right now. */
const UNAVAILABLE = new Set('25006 25P03 53200 53300 53400 55P03 57P01 57P02 57P03 57P04 57P05'.split(' '));
const CONFLICT = new Set(['40001', '40P01']);
const UNSTORABLE = new Set(['22021', '22P05', '54000']);

/** What the driver threw, as a StoreError. */
export function storeErrorOf(cause: unknown, place: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const { message } = cause as Error;
  const code = sqlState(cause);
  if (code === undefined || code.startsWith('08') || UNAVAILABLE.has(code)) {
    return new StoreError('STORE_UNAVAILABLE', `the database ${place} is not there: ${message}`, {
      cause,
      retryable: true,
    });
  }
  if (CONFLICT.has(code)) {
    return new StoreError('STORE_CONFLICT', `another process was in the way: ${message}`, { cause, retryable: true });
  }
  if (code === '53100') {
    return new StoreError('STORE_FULL', `the database ${place} is full: ${message}`, { cause, retryable: true });
  }
  if (UNSTORABLE.has(code)) {
    const why = code === '54000' ? 'too large' : 'ids, keys and topics must not hold the character U+0000';
    return new StoreError('STORE_UNSTORABLE', `${why}: ${message}`, { cause });
  }
  return new StoreError('STORE_IO', `database ${place}: ${message}`, { cause });
}

/** The five characters by which the server names an error; undefined when the connection itself failed. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** TypeORM wraps what the driver throws; undefined for an error of another origin. */
export function driverErrorOf(error: unknown): unknown {
  return (error as { driverError?: unknown }).driverError;
}
