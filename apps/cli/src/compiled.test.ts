import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const exec = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '../../..');

/** A repository that is as small as can be: the real command, with a program and a thread of its own. */
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whale-compiled-'));
  cpSync(join(REPOSITORY, 'apps/cli/bin'), join(root, 'apps/cli/bin'), { recursive: true });
  cpSync(join(REPOSITORY, 'tsconfig.base.json'), join(root, 'tsconfig.base.json'));
  cpSync(join(REPOSITORY, 'libs/kernel/src'), join(root, 'libs/kernel/src'), { recursive: true });
  write('package-lock.json', '{}');
  write('package.json', '{ "type": "module" }');
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['esbuild', 'tsx', 'canonicalize']) {
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(root, 'node_modules', name));
  }
  write(
    'libs/thread/worker.ts',
    `import { parentPort } from 'node:worker_threads';\nparentPort?.postMessage(WHERE());\n`,
  );
  program('one');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text.replaceAll('WHERE()', `new Error('here').stack?.includes('.cache')`));
}

function program(says: string): void {
  write(
    'apps/cli/src/main.ts',
    `import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { spawnTypeScriptWorker } from '../../../libs/kernel/src/typescript-worker.ts';
enum Not { Erasable = '${says}' }
export async function main(): Promise<void> {
  const worker = spawnTypeScriptWorker(new URL('../../../libs/thread/worker.ts', import.meta.url));
  const [thread] = await once(worker, 'message');
  const beside = readFileSync(new URL('./beside.txt', import.meta.url), 'utf8');
  console.log(JSON.stringify({ says: Not.Erasable, compiled: WHERE(), thread, beside }));
}
`,
  );
  write('apps/cli/src/beside.txt', 'text');
}

async function whale(): Promise<unknown> {
  const { stdout } = await exec(process.execPath, ['--stack-trace-limit=20', join(root, 'apps/cli/bin/whale.mjs')]);
  return JSON.parse(stdout);
}
const compiled = { says: 'one', compiled: true, thread: true, beside: 'text' };
const made = (): string[] => readdirSync(join(root, 'node_modules/.cache/whale'));

test('program and threads run compiled, and find the files beside their sources', async () => {
  expect(await whale()).toEqual(compiled);
  expect(await whale()).toEqual(compiled);
  expect(made()).toHaveLength(1);
});

test('a changed source is compiled again; what was made before goes after some changes', async () => {
  for (const says of ['one', 'two', 'three', 'four', 'five', 'six']) {
    program(says);
    expect(await whale()).toEqual({ ...compiled, says });
  }
  expect(made()).toHaveLength(4);
});

test('processes that start together all run', async () => {
  expect(await Promise.all([whale(), whale(), whale()])).toEqual([compiled, compiled, compiled]);
  expect(made()).toHaveLength(1);
});

test('where nothing can be written, the sources run as they are', async () => {
  writeFileSync(join(root, 'node_modules/.cache'), 'not a folder');
  expect(await whale()).toEqual({ ...compiled, compiled: false, thread: false });
});
