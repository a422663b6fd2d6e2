import { readFileSync } from 'node:fs';

const MILLIS_PER_TICK = 10;

/**
 * CPU time of a thread of this process in ms, from the kernel's `task/<id>/stat` (USER_HZ is 100 on every Linux). Where
 * there is none, the CPU time of the whole process: an upper bound. Why not wall time: on a busy machine an innocent
 * step can take seconds of wall time.
 */
export function threadCpuMillis(threadId: number | undefined): number {
  if (threadId !== undefined) {
    try {
      const stat = readFileSync(`/proc/self/task/${threadId}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = Number(fields[11]) + Number(fields[12]);
      if (Number.isFinite(ticks)) return ticks * MILLIS_PER_TICK;
    } catch {
      // The thread has just ended, or /proc is not there.
    }
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
