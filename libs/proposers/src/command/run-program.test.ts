import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { runProgram, type Program } from './run-program.ts';
import { comesAbout, isAlive } from './testing/processes.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'whale-program-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'] ?? '' };

const run = (script: string, extra: Partial<Program> = {}, signal = new AbortController().signal) =>
  runProgram(
    { command: ['/bin/sh', '-c', script], folder, environment, milliseconds: 60_000, graceMilliseconds: 200, ...extra },
    signal,
  );
const gone = (pid: string) => comesAbout(() => !isAlive(Number(pid)));

describe('a program', () => {
  it('runs in its folder, with its environment alone, without input', async () => {
    const end = await run('pwd; env | cut -d= -f1 | sort | xargs; read line || echo no input >&2; exit 3', {
      environment: { ...environment, MINE: 'x' },
    });
    expect(end).toMatchObject({ exitCode: 3, signal: null, timedOut: false, stderr: 'no input\n' });
    const [where, names = ''] = end.stdout.split('\n');
    expect(where).toBe(folder);
    // The shell adds the last ones itself.
    expect(names.split(' ').filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))).toEqual([
      'MINE',
      'PATH',
    ]);
  });

  it('is given its arguments as they are: no shell reads them', async () => {
    const command = [process.execPath, '-p', 'process.argv[1]', '$HOME; `id` "x"'] as const;
    expect((await run('', { command: [...command] })).stdout).toBe('$HOME; `id` "x"\n');
  });

  it('G1: ends after its time, with what it has started, by SIGTERM', async () => {
    const end = await run('sleep 1000 & echo $!; echo begun >&2; wait', {
      milliseconds: 1_000,
      graceMilliseconds: 60_000,
    });
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true, stderr: 'begun\n' });
    expect(await gone(end.stdout)).toBe(true);
  });

  it('G1: is killed with what it has started when it does not mind SIGTERM', async () => {
    const end = await run("trap '' TERM; (while :; do sleep 1; done) & echo $!; while :; do sleep 1; done", {
      milliseconds: 1_000,
    });
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true });
    expect(await gone(end.stdout)).toBe(true);
  });

  it('G1: ends with the signal', async () => {
    const abort = new AbortController();
    const running = run("trap '' TERM; sleep 1000 & wait; sleep 1000", {}, abort.signal);
    setTimeout(() => abort.abort(new Error('stopped')), 200);
    await expect(running).rejects.toThrow('stopped');
    await expect(run('true', {}, abort.signal)).rejects.toThrow('stopped');
  });

  it('G1, G2: leaves no child behind when it ends, and does not wait for one that holds its output', async () => {
    const end = await run("trap '' HUP; sleep 1000 & echo $!");
    expect(end).toMatchObject({ exitCode: 0, timedOut: false });
    expect(await gone(end.stdout)).toBe(true);
  });

  it('G1: is killed with what it has started when this process is killed', async () => {
    const hang = fileURLToPath(new URL('./testing/hang.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', hang, folder], { stdio: 'inherit' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ids = join(folder, 'ids');
    expect(await comesAbout(() => existsSync(ids))).toBe(true);
    child.kill('SIGKILL');
    for (const id of readFileSync(ids, 'utf8').split(' ')) expect(await gone(id)).toBe(true);
  });

  it('G2: does not wait for a child that has left its group and holds its output', async () => {
    const end = await run('setsid sleep 60 & echo $!');
    onTestFinished(() => void process.kill(Number(end.stdout), 'SIGKILL'));
    expect(end).toMatchObject({ exitCode: 0, timedOut: false });
  });

  it('G2: keeps the beginning and the end of a flood of output', async () => {
    const { stdout, stderr } = await run('echo first; yes | head -c 256000000; echo last');
    expect(stdout.length).toBeLessThan(70_000);
    expect(stdout).toMatch(/^first\ny\n[^]* 255\d{6} bytes left out [^]*y\nlast\n$/u);
    expect(stderr.length).toBeLessThan(70_000);
  });

  it('keeps all of an output of medium length', async () => {
    const { stdout } = await run('seq 1 10000');
    expect(stdout).toBe(Array.from({ length: 10_000 }, (_, i) => `${i + 1}\n`).join(''));
  });

  it('rejects with the error of the system when it cannot be started', async () => {
    await expect(run('', { command: ['no-such-program-anywhere'] })).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(run('', { command: [folder] })).rejects.toMatchObject({ code: 'EACCES' });
  });
});
