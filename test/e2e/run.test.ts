import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Place } from '../support/place.ts';
import { quietRun, TINY, type QuietRun } from '../support/quiet-run.ts';
import { scratchFolder, startWhale } from '../support/whale-process.ts';

function newPlace(name: string): Place {
  const folder = scratchFolder(name);
  onTestFinished(() => folder.remove());
  return new Place({ data: folder.path });
}

describe('whale run', () => {
  let quiet: QuietRun;
  beforeAll(async () => {
    quiet = await quietRun();
  }, 120_000);

  it('runs an experiment to its result and writes a report', () => {
    const { finished, shown, data } = quiet;
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(finished.stdout).toContain('95%');
    expect(shown.status).toBe('completed');
    for (const key of ['spec', 'base', 'best', 'bestOnTest', 'cycles', 'ledger']) expect(shown).toHaveProperty(key);
    const report = join(data, 'reports', `${shown.experimentId}.html`);
    expect(existsSync(report)).toBe(true);
    expect(readFileSync(report, 'utf8')).not.toMatch(/(?:src|href)="https?:/);
  });

  it('shows a clear gain on the small example', async () => {
    const run = await newPlace('small').whale('run', 'examples/atlas-small.yaml');
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain('the 95% intervals lie apart');
  });

  it('prints the result of a finished experiment without running it again', async () => {
    const place = new Place({ data: quiet.data });
    const again = await place.whale('run', TINY);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('95%');
    const probe = place.probe();
    onTestFinished(() => probe.close());
    expect(await probe.records()).toBe(quiet.records);
    expect((await place.show()).stateHash).toBe(quiet.shown.stateHash);
  });

  it('stops cleanly on Ctrl-C, says how to go on, and goes on', async () => {
    const place = newPlace('interrupted');
    const running = startWhale(['run', TINY, ...place.flags]);
    const probe = place.probe();
    await probe.reached(150);
    await probe.close();
    running.process.kill('SIGINT');
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    expect(stopped.stdout + stopped.stderr).toContain(`whale run ${TINY}`);
    const resumed = await place.whale('run', TINY);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect((await place.show()).stateHash).toBe(quiet.shown.stateHash);
  });
});
