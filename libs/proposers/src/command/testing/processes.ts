import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** False also for a process that has ended and that nobody has asked about yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/su.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // Without /proc the signal alone tells.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** False when it has not come about within 20 s. */
export async function comesAbout(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 400; i++) {
    if (condition()) return true;
    await sleep(50);
  }
  return false;
}
