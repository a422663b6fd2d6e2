import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isDead, ownIdentity } from './process-identity.ts';

const self = ownIdentity();

describe('isDead', () => {
  it('S7: is false for this process and for one that runs', async () => {
    expect(isDead(self, self)).toBe(false);
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const other = { ...self, pid: child.pid as number, processStart: '' };
    expect(isDead(other, self)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isDead(other, self)).toBe(true);
  });

  it.runIf(self.processStart !== '')('S7: knows a process id that was given to another process', async () => {
    expect(isDead({ ...self, processStart: '1' }, self)).toBe(true);
    expect(isDead({ ...self, pid: process.ppid, processStart: '1' }, self)).toBe(true);
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    const processStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] as string;
    expect(isDead({ ...self, pid: process.ppid, processStart }, self)).toBe(false);
  });

  it('S7: does not judge the processes of another host, and knows that none outlives a restart of its own', () => {
    expect(isDead({ ...self, host: 'elsewhere', pid: 4_194_303 }, self)).toBe(false);
    expect(isDead({ ...self, boot: 'another boot' }, self)).toBe(true);
  });
});
