import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { embedded } from '@whale/service-host';
import { LogProbe } from '../support/log-probe.ts';
import { scratchFolder, startWhale, whale } from '../support/whale-process.ts';

const SPEC = 'test/support/tiny.yaml';

describe('whale run', () => {
  const folders = [scratchFolder('first'), scratchFolder('second'), scratchFolder('split')];
  const [first, second, split] = folders.map((folder) => folder.path) as [string, string, string];
  afterAll(() => folders.forEach((folder) => folder.remove()));

  const shown = async (data: string) => {
    const { stdout } = await whale(['show', '--json', '--data', data]);
    return JSON.parse(stdout) as Record<string, unknown> & { stateHash: string; status: string; experimentId: string };
  };

  it('runs an experiment to its result and writes a report', async () => {
    const run = await whale(['run', SPEC, '--data', first]);
    expect(run.stderr).toBe('');
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('95%');
    const summary = await shown(first);
    expect(summary.status).toBe('completed');
    for (const key of ['spec', 'base', 'best', 'bestOnTest', 'cycles', 'ledger']) expect(summary).toHaveProperty(key);
    const report = join(first, 'reports', `${summary.experimentId}.html`);
    expect(existsSync(report)).toBe(true);
    expect(readFileSync(report, 'utf8')).not.toMatch(/(?:src|href)="https?:/);
  });

  it('shows a clear gain on the small example', async () => {
    const folder = scratchFolder('small');
    folders.push(folder);
    const run = await whale(['run', 'examples/atlas-small.yaml', '--data', folder.path]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('the 95% intervals lie apart');
  });

  it('prints the result of a finished experiment without running it again', async () => {
    const before = await shown(first);
    const again = await whale(['run', SPEC, '--data', first]);
    expect(again.code).toBe(0);
    expect((await shown(first)).stateHash).toBe(before.stateHash);
  });

  it('gives the same state hash for the same seed on fresh data', async () => {
    const run = await whale(['run', SPEC, '--data', second]);
    expect(run.code).toBe(0);
    expect((await shown(second)).stateHash).toBe((await shown(first)).stateHash);
  });

  it('gives the same state with services spread over processes', async () => {
    expect((await whale(['run', SPEC, '--detach', '--data', split])).code).toBe(0);
    const parts = [
      ['rollout', 'verifier'],
      ['trainer-gateway', 'proposer'],
      ['archive', 'scheduler'],
    ].map((names) => startWhale(['services', ...names, '--data', split]));
    const deadline = Date.now() + 120_000;
    while ((await shown(split)).status === 'running' && Date.now() < deadline) await sleep(300);
    for (const part of parts) part.process.kill('SIGTERM');
    for (const part of parts) expect((await part.finished).code).toBe(0);
    expect((await shown(split)).stateHash).toBe((await shown(first)).stateHash);
  });

  it('stops cleanly on Ctrl-C, says how to go on, and goes on', async () => {
    const folder = scratchFolder('interrupted');
    folders.push(folder);
    const running = startWhale(['run', SPEC, '--data', folder.path]);
    const probe = new LogProbe(embedded(folder.path));
    await probe.reached(150);
    await probe.close();
    running.process.kill('SIGINT');
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    expect(stopped.stdout + stopped.stderr).toContain(`whale run ${SPEC}`);
    const resumed = await whale(['run', SPEC, '--data', folder.path]);
    expect(resumed.code).toBe(0);
    expect((await shown(folder.path)).stateHash).toBe((await shown(first)).stateHash);
  });
});
