import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Answer, GuardianTask, Order } from './guardian-protocol.ts';
import { Server } from './server.ts';

const LOOK_EVERY_MS = 250;

/**
 * Runs one PostgreSQL server and outlives whoever started it by a moment, so that the server ends and its folder goes
 * away even when that process is killed. `guardian.ts TASK`
 */
const { parent, settings, announce } = JSON.parse(process.argv[2] as string) as GuardianTask;
let server: Server | null = null;
let ending = false;

function answer(message: Answer): void {
  if (process.connected) process.send?.(message);
}

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await server?.remove();
  if (announce) await rm(dirname(announce), { recursive: true, force: true });
  process.exit(0);
}

async function announced(content: object): Promise<void> {
  if (!announce) return;
  await writeFile(`${announce}.new`, JSON.stringify(content));
  await rename(`${announce}.new`, announce);
}

async function obey(order: Order): Promise<void> {
  if (!server || ending) return;
  if (order === 'kill') await server.halt('SIGKILL');
  if (order === 'restart') {
    await server.halt('SIGINT');
    await server.run();
  }
  if (order === 'stop') await server.remove();
  answer({ done: order });
  if (order === 'stop') process.exit(0);
}

function parentIsThere(): boolean {
  try {
    process.kill(parent, 0);
    return true;
  } catch {
    return false;
  }
}

process.on('SIGINT', () => void end());
process.on('SIGTERM', () => void end());
process.on('message', (order: Order) => {
  obey(order).catch((error: Error) => answer({ failed: error.message }));
});
try {
  server = await Server.start(settings);
  await announced({ url: server.url, guardian: process.pid });
  answer({ url: server.url });
} catch (error) {
  const { message } = error as Error;
  await announced({ failed: message, guardian: process.pid });
  answer({ failed: message });
  if (!announce) process.exit(1);
}
setInterval(() => {
  if (!parentIsThere()) void end();
}, LOOK_EVERY_MS);
