import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from './broker.ts';
import { opensslIsHere } from './certificates.ts';
import { isRunning } from './processes.ts';
import type { BrokerKind, SharedBroker } from './shared-broker.ts';

export type Announcement = SharedBroker | { failed: string };

const LOOK_EVERY_MS = 250;

/** Runs a broker of a run of tests until the process of that id ends. `shared-broker-process.ts FOLDER PID KIND` */
const [, , folder, run, kind] = process.argv as unknown as [string, string, string, string, BrokerKind];

/** Others read the file at any time. */
async function announce(announcement: Announcement): Promise<void> {
  await writeFile(join(folder, 'broker.json.part'), JSON.stringify(announcement));
  await rename(join(folder, 'broker.json.part'), join(folder, 'broker.json'));
}

async function untilRunEnds(): Promise<void> {
  while (isRunning(Number(run))) await sleep(LOOK_EVERY_MS);
}

try {
  const { brokers, url, tls, stop } = await startBroker(kind === 'secured' ? { sasl: true, tls: opensslIsHere() } : {});
  await announce({ brokers, url, tls });
  await untilRunEnds();
  await stop();
} catch (error) {
  await announce({ failed: (error as Error).message });
  // Not started anew for each file of the run.
  await untilRunEnds();
}
await rm(folder, { recursive: true, force: true });
