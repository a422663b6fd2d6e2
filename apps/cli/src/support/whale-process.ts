import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');
const binary = join(import.meta.dirname, '../../bin/whale.mjs');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  environment?: NodeJS.ProcessEnv;
  /** Open files to write to instead of what is read here. */
  stdout?: number;
  stderr?: number;
  uid?: number;
}

/** Runs the `whale` command as a user would in the root of the repository, without a terminal. */
export function whale(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return whaleIn({ environment }, args);
}

export function whaleIn(surroundings: Surroundings, args: readonly string[]): Promise<Finished> {
  const { environment = {}, stdout: toOut = 'pipe', stderr: toError = 'pipe', uid } = surroundings;
  const child = spawn(process.execPath, [binary, ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', toOut, toError],
    ...(uid === undefined ? {} : { uid }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A folder of its own for one test file, and how to take it away. */
export function scratchFolder(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `whale-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
