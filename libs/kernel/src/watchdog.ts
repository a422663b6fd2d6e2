import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Runs a shell command when this process ends, in whatever way it ends: a shell waits for the end of a pipe that only
 * this process holds open. Signals of a terminal do not reach it.
 */
export class Watchdog {
  readonly #child: ChildProcess;

  constructor(command: string) {
    this.#child = spawn('/bin/sh', ['-c', `read -r line; ${command}`], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child.unref();
    (this.#child.stdin as unknown as { unref(): void }).unref();
  }

  /** Nothing is to be done any more. */
  dismiss(): void {
    this.#child.kill('SIGKILL');
  }
}

/** As one word of a shell command. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
