import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { describeError } from '@whale/kernel';

export interface Finding {
  what: string;
  state: 'ok' | 'warning' | 'missing';
  found: string;
  /** How to get it. */
  remedy?: string;
}

const GIGABYTE = 1024 ** 3;

/** The part of the global that is used; the compiler's libraries for Node leave its value out. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: { instantiate(bytes: Uint8Array): Promise<{ instance: { exports: Record<string, () => number> } }> };
};

/** Looks at the machine; writes only below the system's temporary folder. */
export async function examine(data: string, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  return [
    node(),
    cores(),
    memory(),
    disk(data),
    writable(data),
    await tried('SQLite', sqlite, 'Run npm ci again: the package libsql brings a binary for this platform.'),
    await tried('WebAssembly', wasm, 'Use an official build of Node.js: WebAssembly was switched off in this one.'),
    await tried('harness sandbox', sandbox, 'Run npm ci again: the package quickjs-wasi holds the sandbox.'),
    await tried('embedded model', model, 'Run npx whale pretrain, or restore libs/embedded-lm/assets.'),
    await tried('search-qa domain', domain, 'Run npm ci again in a complete clone.'),
    key(environment),
  ];
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const state = major > 20 || (major === 20 && minor >= 19) ? 'ok' : 'missing';
  return {
    what: 'Node.js',
    state,
    found: process.versions.node,
    remedy: 'whale needs 20.19 or newer: https://nodejs.org',
  };
}

function cores(): Finding {
  const n = availableParallelism();
  const remedy = 'Sampling and training share one core: everything works, at half the speed or less.';
  return { what: 'processor cores', state: n >= 2 ? 'ok' : 'warning', found: String(n), remedy };
}

function memory(): Finding {
  const bytes = totalmem();
  const remedy = 'The default run takes about 1 GB.';
  return { what: 'memory', state: bytes >= 2 * GIGABYTE ? 'ok' : 'warning', found: gigabytes(bytes), remedy };
}

function disk(data: string): Finding {
  const { bavail, bsize } = statfsSync(nearestExisting(data));
  const free = bavail * bsize;
  const state = free >= GIGABYTE ? 'ok' : free >= GIGABYTE / 10 ? 'warning' : 'missing';
  const remedy = 'Free some space, or name a folder on another disk with --data DIR.';
  return { what: 'free disk', state, found: gigabytes(free), remedy };
}

function writable(data: string): Finding {
  const what = 'data folder';
  const there = nearestExisting(data);
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
    return { what, state: 'ok', found: there === data ? data : `${data} (will be made)` };
  } catch {
    return { what, state: 'missing', found: `${there} cannot be written`, remedy: 'Name another with --data DIR.' };
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

async function tried(what: string, attempt: () => Promise<string>, remedy: string): Promise<Finding> {
  try {
    return { what, state: 'ok', found: await attempt() };
  } catch (error) {
    return { what, state: 'missing', found: describeError(error).message, remedy };
  }
}

async function sqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'whale-doctor-'));
  try {
    const { SqliteEventLog } = await import('@whale/event-log-sqlite');
    const log = await SqliteEventLog.open({ path: join(folder, 'log.sqlite') });
    await log.ensureTopics([{ name: 'doctor', partitions: 1 }]);
    await log.append([{ topic: 'doctor', key: 'k', headers: {}, value: '{}' }]);
    const [head] = await log.heads(['doctor']);
    await log.close();
    if (head?.offset !== 1) throw new Error('a written record was not found again');
    return 'writes and reads';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function wasm(): Promise<string> {
  // (module (func (export "f") (result i32) i32.const 42))
  const bytes = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0,
  ];
  const { instance } = await WebAssembly.instantiate(new Uint8Array([...bytes, 65, 42, 11]));
  if (instance.exports['f']?.() !== 42) throw new Error('a module gave a wrong result');
  return 'works';
}

async function sandbox(): Promise<string> {
  const { HarnessSandbox } = await import('@whale/harness-sandbox');
  const box = new HarnessSandbox({ workers: 1 });
  try {
    const source = 'export const PROMPTS = {};\nexport default function* () { return { answer: "here" }; }\n';
    const { end } = await box.run({ source, task: {}, onEffect: () => null });
    if (end.kind !== 'answered') throw new Error(`a harness ended with ${JSON.stringify(end)}`);
    return 'runs a harness';
  } finally {
    await box.close();
  }
}

async function model(): Promise<string> {
  const { loadTheta0, loadTokenizer } = await import('@whale/embedded-lm');
  await loadTokenizer();
  return `θ₀, ${Math.round((await loadTheta0()).byteLength / 1024)} KB`;
}

async function domain(): Promise<string> {
  const { loadDomain } = await import('@whale/domain-loader');
  const { tasks } = await loadDomain({ name: 'search-qa', dataset: 'atlas', options: {} });
  return `${tasks('test').length} test tasks`;
}

function key({ ANTHROPIC_API_KEY = '' }: NodeJS.ProcessEnv): Finding {
  const what = 'proposer claude';
  if (ANTHROPIC_API_KEY.trim() !== '') return { what, state: 'ok', found: 'ANTHROPIC_API_KEY is set' };
  const remedy = 'Only the proposer claude needs ANTHROPIC_API_KEY; the default, recombine, asks no model.';
  return { what, state: 'warning', found: 'no key', remedy };
}

function gigabytes(bytes: number): string {
  return `${(bytes / GIGABYTE).toFixed(1)} GB`;
}
