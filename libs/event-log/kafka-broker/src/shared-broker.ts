// The broker that the test files of one run share, in a process of its own: test files come and go.
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBroker } from './broker.ts';

const folder = process.argv[2] as string;
const runner = Number(process.env['WHALE_SHARED_BROKER_FOR']);

/** Whole or not at all: others look at it all the time. */
async function say(what: object): Promise<void> {
  await writeFile(join(folder, 'part'), JSON.stringify(what));
  await rename(join(folder, 'part'), join(folder, 'broker.json'));
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

try {
  const broker = await startBroker();
  await say({ brokers: broker.brokers, pid: broker.pid });
  const looking = setInterval(() => {
    if (runs(runner)) return;
    clearInterval(looking);
    void broker.stop().finally(() => rm(folder, { recursive: true, force: true }));
  }, 300);
} catch (error) {
  await say({ error: (error as Error).message });
}
