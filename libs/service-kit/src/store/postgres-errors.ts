import { StoreError, type StoreErrorCode } from './errors.ts';

interface Trouble {
  code: StoreErrorCode;
  /** Whether it goes away by itself: the same again may succeed. */
  retryable: boolean;
  /** After "the database …". */
  what: string;
}

const AWAY: Trouble = { code: 'STORE_UNAVAILABLE', retryable: true, what: 'is not there' };
const IN_THE_WAY: Trouble = { code: 'STORE_CONFLICT', retryable: true, what: 'let another process go first' };
/** Time limits of statements and locks, and an administrator who cancels one. */
const GIVEN_UP: Trouble = { code: 'STORE_CONFLICT', retryable: true, what: 'gave up a statement' };
const ENDED: Trouble = { code: 'STORE_UNAVAILABLE', retryable: true, what: 'ended a transaction' };
const GONE: Trouble = { code: 'STORE_GONE', retryable: false, what: 'has tables no more' };
const ODD: Trouble = { code: 'STORE_IO', retryable: false, what: 'refuses' };

/** By SQLSTATE, or by the class that it begins with. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  '08': AWAY,
  '22': { code: 'STORE_UNSTORABLE', retryable: false, what: 'takes no U+0000 in ids, keys and topics' },
  // Also while a standby takes over: another connection may find a server that may be written to.
  '25006': { code: 'STORE_UNAVAILABLE', retryable: true, what: 'is read-only' },
  '25P03': ENDED,
  '25P04': ENDED,
  '3F000': GONE,
  '40': IN_THE_WAY,
  '42P01': GONE,
  '53': { code: 'STORE_UNAVAILABLE', retryable: true, what: 'has no room for more' },
  '53100': { code: 'STORE_FULL', retryable: true, what: 'is full' },
  '54': { code: 'STORE_UNSTORABLE', retryable: false, what: 'finds it too large' },
  '55006': GIVEN_UP,
  '55P03': GIVEN_UP,
  '57': AWAY,
  '57014': GIVEN_UP,
  '58': { code: 'STORE_IO', retryable: true, what: 'has a machine that fails' },
  '72': IN_THE_WAY,
};

/** What the driver threw, as a StoreError. */
export function storeErrorOf(cause: unknown, place: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const state = sqlState(cause);
  const trouble = state === undefined ? AWAY : (TROUBLES[state] ?? TROUBLES[state.slice(0, 2)] ?? ODD);
  const { code, retryable, what } = trouble;
  return new StoreError(code, `the database ${place} ${what}: ${(cause as Error).message}`, { cause, retryable });
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
