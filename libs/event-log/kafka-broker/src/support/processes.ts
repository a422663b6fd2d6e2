import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Hanging<Said> {
  process: ChildProcess;
  /** What it says in its first line. */
  said: Said;
}

/** A module of this folder in a process of its own, to be killed. */
export async function hanging<Said>(module: string): Promise<Hanging<Said>> {
  const path = fileURLToPath(new URL(module, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { process: child, said: JSON.parse(line) as Said };
}

export async function answers(broker: string): Promise<boolean> {
  const [host, port] = broker.replace('kafka://', '').split(':') as [string, string];
  const socket = connect(Number(port), host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** False when it has not come about within 20 s. */
export async function comesAbout(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let i = 0; i < 400; i += 1) {
    if (await condition()) return true;
    await sleep(50);
  }
  return false;
}
