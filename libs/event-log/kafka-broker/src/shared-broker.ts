import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { EnvironmentError } from '@whale/kernel';
import { isRunning } from './processes.ts';
import { passwordOf, type User } from './security.ts';
import type { Announcement } from './shared-broker-process.ts';
import type { TlsAccess } from './tls-side.ts';

export type BrokerKind = 'open' | 'secured';

/** The first start on a machine fetches Kafka. */
const LIMIT_MS = 300_000;
const LOOK_EVERY_MS = 50;

export interface SharedBroker {
  readonly brokers: readonly string[];
  /** `kafka://host:port` */
  readonly url: string;
  /** Of a secured one where openssl is. */
  readonly tls?: TlsAccess | undefined;
}

export interface SecuredBroker extends SharedBroker {
  password(user: User): string;
}

/**
 * The broker that all test files of a run share: that of KAFKA_BROKERS, else one that the first caller starts and that
 * ends with the run. Topics and groups need a prefix of their own, since other files use it at the same time. Throws
 * EnvironmentError.
 */
export function sharedBroker(): Promise<SharedBroker> {
  return shared('open');
}

/** The same, of another broker that has users and an authorizer, and TLS where openssl is; not with KAFKA_BROKERS. */
export async function sharedSecuredBroker(): Promise<SecuredBroker> {
  return { ...(await shared('secured')), password: passwordOf };
}

async function shared(kind: BrokerKind): Promise<SharedBroker> {
  // Test files run in forks of the process that is the run.
  const run = process.env['VITEST'] && isMainThread ? process.ppid : process.pid;
  const folder = join(tmpdir(), `whale-kafka-of-${process.getuid?.() ?? 0}-${run}-${kind}`);
  if (await isDeserted(folder)) await rm(folder, { recursive: true, force: true });
  try {
    await mkdir(folder, { mode: 0o700 });
    await startProcess(folder, run, kind);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const end = performance.now() + LIMIT_MS;
  while (performance.now() < end) {
    // Looked at first: what is announced just before the end is still read.
    const deserted = await isDeserted(folder);
    const announced = await read(join(folder, 'broker.json'));
    if (announced) {
      const announcement = JSON.parse(announced) as Announcement;
      if ('failed' in announcement) throw new EnvironmentError(announcement.failed);
      return announcement;
    }
    if (deserted) throw new EnvironmentError('the process of the shared Kafka broker ended by itself');
    await sleep(LOOK_EVERY_MS);
  }
  throw new EnvironmentError(`the shared Kafka broker was not there within ${LIMIT_MS / 1000} s`);
}

async function startProcess(folder: string, run: number, kind: BrokerKind): Promise<void> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const module = fileURLToPath(new URL('./shared-broker-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', tsx, module, folder, String(run), kind], {
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  await writeFile(join(folder, 'pid'), String(child.pid));
}

/** Left by a process that is no more. */
async function isDeserted(folder: string): Promise<boolean> {
  const pid = await read(join(folder, 'pid'));
  return pid !== null && pid !== '' && !isRunning(Number(pid));
}

async function read(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
