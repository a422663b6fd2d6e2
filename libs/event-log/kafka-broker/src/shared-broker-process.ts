import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker } from './broker.ts';
import { isRunning } from './processes.ts';

export type Announcement = { brokers: readonly string[]; url: string } | { failed: string };

const LOOK_EVERY_MS = 250;

/** Runs the broker of a run of tests until the process of that id ends. `shared-broker-process.ts FOLDER PID` */
const [, , folder, run] = process.argv as [string, string, string, string];

/** Others read the file at any time. */
async function announce(announcement: Announcement): Promise<void> {
  await writeFile(join(folder, 'broker.json.part'), JSON.stringify(announcement));
  await rename(join(folder, 'broker.json.part'), join(folder, 'broker.json'));
}

async function untilRunEnds(): Promise<void> {
  while (isRunning(Number(run))) await sleep(LOOK_EVERY_MS);
}

try {
  const { brokers, url, stop } = await startBroker();
  await announce({ brokers, url });
  await untilRunEnds();
  await stop();
} catch (error) {
  await announce({ failed: (error as Error).message });
  // Not started anew for each file of the run.
  await untilRunEnds();
}
await rm(folder, { recursive: true, force: true });
