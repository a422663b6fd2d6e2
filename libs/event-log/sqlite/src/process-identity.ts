import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Which process a member of a group lives in, exact enough to tell a reused process id from the same process. */
export interface ProcessIdentity {
  /** Host name and, on Linux, process id namespace: within one `host`, process ids can be compared. */
  host: string;
  /** Differs after each start of the machine; empty where it cannot be known. */
  boot: string;
  pid: number;
  /** Start of the process in clock ticks since boot; empty where it cannot be known. */
  processStart: string;
}

export function ownIdentity(): ProcessIdentity {
  return {
    host: `${hostname()}/${attempt(() => readlinkSync('/proc/self/ns/pid'))}`,
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pid: process.pid,
    processStart: attempt(() => startOf(readFileSync('/proc/self/stat', 'utf8')).start),
  };
}

/** True only when it is certain: otherwise its lease has to run out. */
export function isDead(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.host !== self.host) return false;
  if (other.boot !== self.boot) return true;
  if (other.pid === self.pid) return other.processStart !== self.processStart;
  if (other.processStart === '') return !canBeSignalled(other.pid);
  try {
    const { state, start } = startOf(readFileSync(`/proc/${other.pid}/stat`, 'utf8'));
    return start !== other.processStart || state === 'Z' || state === 'X';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && !canBeSignalled(other.pid);
  }
}

/** The name of the program, in parentheses, may itself hold blanks and parentheses: count from the last one. */
function startOf(stat: string): { state: string; start: string } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

function canBeSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
