import { existsSync } from 'node:fs';
import { EnvironmentError, WhaleError } from '@whale/kernel';

/** What to do where the program of a spec cannot be started. */
export function startError(cause: unknown, command: readonly string[], folder: string): WhaleError {
  const [program = ''] = command;
  const { code, message } = cause as NodeJS.ErrnoException;
  const said = (what: string) => new EnvironmentError(`proposer.command: ${what}`, { cause });
  if (code === 'ENOENT' && !existsSync(folder)) {
    return new WhaleError('PROPOSER_COMMAND', `the workspace ${folder} is gone`, { cause, retryable: true });
  }
  if (code === 'ENOENT' && program.includes('/')) {
    return said(`there is no program ${program}; paths are taken from ${process.cwd()}`);
  }
  if (code === 'ENOENT') {
    return said(
      `there is no program ${program} on the PATH of the proposer service; install it there, or write its path`,
    );
  }
  if (code === 'EACCES') return said(`${program} may not be executed: it needs the x right (chmod +x)`);
  return said(`${program} cannot be started: ${message}`);
}
