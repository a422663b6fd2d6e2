import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EnvironmentError } from '@whale/kernel';
import { KAFKA_VERSION } from './settings.ts';

const POM = join(import.meta.dirname, '..', 'pom.xml');
const LOOK_EVERY_MS = 500;
const SIGN_OF_LIFE_EVERY_MS = 1_000;
const DEAD_AFTER_MS = 15_000;

export type Availability =
  { available: true; how: 'KAFKA_BROKERS' | 'docker' | 'java' } | { available: false; why: string };

/** How a broker can be had on this machine. Reads KAFKA_BROKERS, WHALE_CACHE and PATH. */
export function brokerAvailability(env: NodeJS.ProcessEnv = process.env): Availability {
  if (env['KAFKA_BROKERS']) return { available: true, how: 'KAFKA_BROKERS' };
  if (output('docker', ['info', '--format', '{{.ServerVersion}}'], env)) return { available: true, how: 'docker' };
  const why = whyNoJava(env);
  if (why === null) return { available: true, how: 'java' };
  return { available: false, why: `no KAFKA_BROKERS, no Docker engine, and ${why}` };
}

/** Why Kafka cannot be run as a Java process here; null where it can. */
export function whyNoJava(env: NodeJS.ProcessEnv = process.env): string | null {
  const java = Number(/^\S+ (\d+)/.exec(output('java', ['--version'], env))?.[1] ?? 0);
  if (java < 17) return `${java === 0 ? 'no Java' : `Java ${java}`} where 17 or newer is needed`;
  if (existsSync(jarsFolder(env)) || output('mvn', ['--version'], env)) return null;
  return `no Maven (mvn) to fetch Kafka with, though Java ${java} is here`;
}

/** Empty when the command is missing or fails. */
function output(command: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'], timeout: 20_000 }).toString();
  } catch {
    return '';
  }
}

function jarsFolder(env: NodeJS.ProcessEnv): string {
  return join(env['WHALE_CACHE'] || join(homedir(), '.cache', 'whale'), `kafka-${KAFKA_VERSION}`);
}

/**
 * The folder of the broker's jars, fetched with Maven the first time. Throws EnvironmentError.
 *
 * 1. The folder is there only when it is whole: it is filled under another name.
 * 2. Of several processes one fetches and the others wait; one that was killed holds up nobody for long.
 * 3. Two that fetch nevertheless do no harm.
 */
export async function kafkaJars(log: (line: string) => void, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const jars = jarsFolder(env);
  const lock = `${jars}.lock`;
  await mkdir(dirname(jars), { recursive: true });
  while (!existsSync(jars)) {
    if (!(await takeLock(lock))) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const signs = setInterval(() => void showLife(lock), SIGN_OF_LIFE_EVERY_MS);
    try {
      if (!existsSync(jars)) await fetchInto(jars, log, env);
    } finally {
      clearInterval(signs);
      await rm(lock, { force: true });
    }
  }
  return jars;
}

async function fetchInto(jars: string, log: (line: string) => void, env: NodeJS.ProcessEnv): Promise<void> {
  log(`fetching Kafka ${KAFKA_VERSION} with Maven (43 MB, only this time)`);
  const aside = await mkdtemp(`${jars}.part-`);
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${aside}`];
  try {
    await promisify(execFile)('mvn', ['-q', '-B', '-f', POM, ...goal], { env, maxBuffer: 1 << 24 });
    await rename(aside, jars);
  } catch (cause) {
    if (existsSync(jars)) return;
    const why = (cause as { stdout?: string }).stdout?.trim() || (cause as Error).message;
    throw new EnvironmentError(`Kafka could not be fetched with Maven: ${why}`, { cause });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** A lock without signs of life is removed, for the next try: its process is no more, even if another has its id. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = await stat(lock).catch(() => null);
  if (found && Date.now() - found.mtimeMs > DEAD_AFTER_MS) await rm(lock, { force: true });
  return false;
}

async function showLife(lock: string): Promise<void> {
  const now = new Date();
  // Removed by one that took this process for dead: then both fetch.
  await utimes(lock, now, now).catch(() => undefined);
}
