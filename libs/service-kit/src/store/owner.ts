import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** Names this process as the owner of leases: host, pid and a random part against reused pids. */
export function newOwner(): string {
  return `${hostname()}/${process.pid}/${randomUUID()}`;
}

const own = new Set<string>();

export function registerOwner(owner: string): void {
  own.add(owner);
}

/**
 * False only when it is certain that the owner is gone: same host and no such process, or this very pid under an
 * owner name that this process never took. On another host only the lease's end tells.
 */
export function isProcessAlive(owner: string): boolean {
  const [host, pidText] = owner.split('/');
  const pid = Number(pidText);
  if (host !== hostname() || !Number.isInteger(pid)) return true;
  if (pid === process.pid) return own.has(owner);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
