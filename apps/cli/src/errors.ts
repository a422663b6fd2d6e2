import { EnvironmentError, InputError, WhaleError } from '@whale/kernel';
import { LogError } from '@whale/event-log';
import { paint } from './print/paint.ts';

/** Exit codes of every command (DESIGN §11). */
export const EXIT = { done: 0, failed: 1, badInput: 2, environment: 3, interrupted: 130 } as const;

/** Codes of WhaleErrors that say that the environment lacks something: space, rights, a readable file. */
const ENVIRONMENT_CODES = new Set(['STORE_FULL', 'STORE_IO', 'BLOB_MISSING', 'BLOB_CORRUPT']);

export function exitCodeOf(error: unknown): number {
  if (error instanceof InputError) return EXIT.badInput;
  if (error instanceof EnvironmentError || error instanceof LogError) return EXIT.environment;
  if (error instanceof WhaleError && ENVIRONMENT_CODES.has(error.code)) return EXIT.environment;
  return EXIT.failed;
}

/** One block on stderr, without a stack; the stack and the causes with WHALE_DEBUG=1. */
export function printError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${paint(process.stderr).red('error:')} ${message}\n`);
  if (!process.env['WHALE_DEBUG']) {
    if (!(error instanceof WhaleError)) process.stderr.write('This is unexpected. WHALE_DEBUG=1 shows where.\n');
    return;
  }
  for (let at: unknown = error; at instanceof Error; at = at.cause) process.stderr.write(`${at.stack ?? at.message}\n`);
}
