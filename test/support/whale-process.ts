import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const binary = join(root, 'apps/cli/bin/whale.mjs');

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  process: ChildProcess;
  /** What it has said so far on its standard error. */
  stderr: () => string;
  finished: Promise<Finished>;
}

/** Starts the `whale` command as a user would, without a terminal. */
export function startWhale(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { process: child, stderr: () => stderr, finished };
}

export function whale(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return startWhale(args, environment).finished;
}

/** A folder of its own for one test, and how to take it away. */
export function scratchFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `whale-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
