import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { LogError } from '@whale/event-log';

/** What libsql throws: `code` is SQLite's name of the result, absent when the connection could not be made at all. */
interface SqliteFailure {
  code?: unknown;
  message?: unknown;
}

const FREE_BYTES_OF_A_FULL_DISK = 1 << 20;

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL';
}

/** Any failure of the library as a `LogError` that says what happened, to which file, and what to do about it. */
export function toLogError(error: unknown, path: string): LogError {
  if (error instanceof LogError) return error;
  const code = sqliteCode(error);
  if (isBusy(error)) {
    return new LogError('LOG_BUSY', `event log ${path} is locked by another writer; try again`, {
      retryable: true,
      cause: error,
    });
  }
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && diskIsFull(path))) {
    return new LogError(
      'LOG_FULL',
      `no space left for event log ${path}; nothing of this call was written. Free space`,
      {
        retryable: true,
        cause: error,
      },
    );
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'SQLITE_PERM') return readOnly(path, error);
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return new LogError(
      'LOG_CORRUPT',
      `${path} is not a readable event log (${messageOf(error)}); restore it from a backup or name another file`,
      { cause: error },
    );
  }
  return new LogError('LOG_IO', `event log ${path} cannot be used: ${messageOf(error)}`, { cause: error });
}

export function readOnly(path: string, cause?: unknown): LogError {
  return new LogError(
    'LOG_READONLY',
    `event log ${path} cannot be written: give this user write permission on the file and its folder, or name another path`,
    { cause },
  );
}

/** What its last writer left in the write-ahead log cannot be read without shared memory, which is made by writing. */
export function leftOpen(path: string): LogError {
  return new LogError(
    'LOG_READONLY',
    `event log ${path} was not closed by its last writer and cannot be written: copy its folder to where it can be, and read it there`,
  );
}

function sqliteCode(error: unknown): string {
  const code = (error as SqliteFailure | null)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function diskIsFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < FREE_BYTES_OF_A_FULL_DISK;
  } catch {
    return false;
  }
}
