import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { Watchdog } from '@whale/kernel';
import { findProgram } from './find-program.ts';
import { Output } from './output.ts';

export interface Program {
  command: readonly [string, ...string[]];
  folder: string;
  environment: Readonly<Record<string, string>>;
  /** Wall time, ms. */
  milliseconds: number;
  /** From SIGTERM to SIGKILL, ms. */
  graceMilliseconds: number;
}

export interface ProgramEnd {
  /** Null where a signal has ended it. */
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
}

/**
 * The program begins only when it is told to, which is when somebody watches over it: were this process killed between
 * its start and that of the watchdog, it would run on. Its words are handed on as they are; the shell reads none of them.
 */
const GATE = 'read -r open <&3 && exec 3<&- && exec "$@"';

/** For output that is on its way when the program has ended. */
const DRAIN_MS = 500;

/**
 * Runs a program to its end. Invariants, each named by a test:
 * G1 Nothing of its process group outlives it: not when it ends, when its time is over, when the signal aborts, nor
 *    when this process is killed.
 * G2 Its end does not wait for anybody who holds its output open, and its output takes bounded memory.
 * Rejects with the error of the system when it cannot be started, and with the signal's reason.
 */
export async function runProgram(program: Program, signal: AbortSignal): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const [file, ...args] = program.command;
  const { folder: cwd, environment: env } = program;
  const path = findProgram(file, cwd, env['PATH'] ?? '');
  // A group of its own, so that all that it starts can be ended with it.
  const child = spawn('/bin/sh', ['-c', GATE, 'sh', path, ...args], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, 'close').catch(() => undefined);
  const stdout = collected(child.stdout as Readable);
  const stderr = collected(child.stderr as Readable);
  exited.catch(() => undefined);
  await once(child, 'spawn');
  const group = new Group(child.pid as number, program.graceMilliseconds);
  const gate = child.stdio[3] as Writable;
  gate.on('error', () => undefined);
  gate.end('open\n');
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    group.end();
  }, program.milliseconds);
  const abort = (): void => group.end();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const [exitCode, endedBy] = await exited;
    group.kill();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
    signal.throwIfAborted();
    return { exitCode, signal: endedBy, timedOut, stdout: stdout.text, stderr: stderr.text };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    group.dismiss();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function collected(stream: Readable): Output {
  const output = new Output();
  stream.on('data', (chunk: Buffer) => output.add(chunk));
  return output;
}

/** The process group that a detached child leads. */
class Group {
  readonly #id: number;
  readonly #grace: number;
  readonly #watchdog: Watchdog;
  #killing: NodeJS.Timeout | undefined;

  constructor(id: number, graceMilliseconds: number) {
    this.#id = id;
    this.#grace = graceMilliseconds;
    this.#watchdog = new Watchdog(`kill -s KILL -- -${this.#id}`);
  }

  /** Asks it to end, then ends it. */
  end(): void {
    if (this.#killing !== undefined) return;
    this.#signal('SIGTERM');
    this.#killing = setTimeout(() => this.kill(), this.#grace);
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  /** Nothing is to be ended any more. */
  dismiss(): void {
    clearTimeout(this.#killing);
    this.#watchdog.dismiss();
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#id, signal);
    } catch {
      // Nobody of the group is left, or the rest belongs to another user.
    }
  }
}
