import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '@whale/kernel';
import { describe } from 'vitest';
import { brokerAvailability } from './distribution.ts';

/** The first start on a machine fetches the broker. */
const LIMIT_MS = 300_000;
const PAUSE_MS = 100;

export interface SharedBroker {
  brokers: readonly string[];
  url: string;
}

const availability = brokerAvailability();
if (!availability.available) console.log(`skipped: tests on Kafka (${availability.why})`);

/** A suite that needs a broker: skipped, with a line that says so, where none can be had. */
export const describeKafka = describe.skipIf(!availability.available);

/**
 * The one broker of this test run, started by whoever needs it first. It ends with the process of the test runner.
 * Topics and groups need names, or a prefix, of their own.
 */
export async function sharedBroker(): Promise<SharedBroker> {
  if (process.env['KAFKA_BROKERS']) return at(process.env['KAFKA_BROKERS'].split(',').map((one) => one.trim()));
  const folder = join(tmpdir(), `whale-kafka-shared-${process.ppid}`);
  try {
    await mkdir(folder);
    spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'shared-broker.ts'), folder], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, WHALE_SHARED_BROKER_FOR: String(process.ppid) },
    }).unref();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const deadline = Date.now() + LIMIT_MS;
  while (Date.now() < deadline) {
    const text = await readFile(join(folder, 'broker.json'), 'utf8').catch(() => null);
    if (text === null) {
      await sleep(PAUSE_MS);
      continue;
    }
    const { brokers, error } = JSON.parse(text) as { brokers?: string[]; error?: string };
    if (brokers) return at(brokers);
    // The next who asks tries again.
    await rm(folder, { recursive: true, force: true });
    throw new EnvironmentError(error ?? 'the shared broker did not start');
  }
  throw new EnvironmentError('the shared broker did not start in time');
}

function at(brokers: readonly string[]): SharedBroker {
  return { brokers, url: `kafka://${brokers.join()}` };
}
