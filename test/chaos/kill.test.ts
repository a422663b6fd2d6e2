import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@whale/contracts';
import { rng } from '@whale/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogProbe } from '../support/log-probe.ts';
import { scratchFolder, startWhale, whale, type Finished, type Running } from '../support/whale-process.ts';

const SPEC = 'test/support/tiny.yaml';
/** Kills of the process that hosts all six services, and kills of single services in processes of their own. */
const KILLS_TOGETHER = Number(process.env['WHALE_CHAOS_TOGETHER'] ?? 14);
const KILLS_APART = Number(process.env['WHALE_CHAOS_APART'] ?? 6);
const SEED = process.env['WHALE_CHAOS_SEED'] ?? new Date().toISOString();

interface Shown {
  experimentId: string;
  status: string;
  stateHash: string;
  ledger: { rollouts: Record<string, number> };
  best: { mean: number };
}

async function show(data: string): Promise<Shown> {
  const { stdout, stderr, code } = await whale(['show', '--json', '--data', data]);
  if (code !== 0) throw new Error(`show failed: ${stderr}`);
  return JSON.parse(stdout) as Shown;
}

/** Waits until the log holds `records`, or the run ends by itself. */
async function reached(probe: LogProbe, records: number, ended: () => boolean): Promise<boolean> {
  for (;;) {
    if (ended()) return false;
    if ((await probe.records()) >= records) return true;
    await sleep(5);
  }
}

describe(`kill -9 (seed ${SEED})`, () => {
  const quiet = scratchFolder('quiet');
  const folders = [quiet];
  let expected: Shown;
  let records: number;

  beforeAll(async () => {
    const run = await whale(['run', SPEC, '--data', quiet.path]);
    expect(run.stderr + run.stdout).toContain('Test accuracy');
    expect(run.code).toBe(0);
    expected = await show(quiet.path);
    const probe = new LogProbe(quiet.path);
    records = await probe.records();
    await probe.close();
  }, 120_000);

  afterAll(() => folders.forEach((folder) => folder.remove()));

  it(`${KILLS_TOGETHER} random kills of the whole process end in the state of the undisturbed run`, async () => {
    const folder = scratchFolder('killed');
    folders.push(folder);
    const random = rng(`${SEED}/together`);
    const points = Array.from({ length: KILLS_TOGETHER }, () => random.int(records)).sort((a, b) => a - b);
    const probe = new LogProbe(folder.path);
    let kills = 0;
    for (const point of points) {
      const running = startWhale(['run', SPEC, '--data', folder.path]);
      let done: Finished | undefined;
      void running.finished.then((finished) => (done = finished));
      // A point that lies behind already still gets its kill: somewhere in the start.
      if (!(await reached(probe, point, () => done !== undefined))) break;
      await sleep(random.int(60));
      running.process.kill('SIGKILL');
      if ((await running.finished).signal === 'SIGKILL') kills++;
    }
    const last = await whale(['run', SPEC, '--data', folder.path]);
    expect(last.stderr).toBe('');
    expect(last.code).toBe(0);
    expect(kills).toBe(KILLS_TOGETHER);
    await expectSame(folder.path, probe);
  });

  it(`${KILLS_APART} random kills of single services in their own processes do so as well`, async () => {
    const folder = scratchFolder('apart');
    folders.push(folder);
    const random = rng(`${SEED}/apart`);
    const probe = new LogProbe(folder.path);
    const submitted = await whale(['run', SPEC, '--detach', '--data', folder.path]);
    expect(submitted.code).toBe(0);
    const start = (name: string) => startWhale(['services', name, '--data', folder.path]);
    const services = new Map<string, Running>(SERVICES.map((name) => [name, start(name)]));
    try {
      const points = Array.from({ length: KILLS_APART }, () => random.int(Math.floor(records * 0.9))).sort(
        (a, b) => a - b,
      );
      const victims = random.shuffle(SERVICES);
      for (const [i, point] of points.entries()) {
        await reached(probe, point, () => false);
        const victim = victims[i % victims.length] as string;
        const running = services.get(victim) as Running;
        running.process.kill('SIGKILL');
        await running.finished;
        services.set(victim, start(victim));
      }
      const deadline = Date.now() + 120_000;
      while ((await show(folder.path)).status === 'running' && Date.now() < deadline) await sleep(500);
    } finally {
      for (const running of services.values()) running.process.kill('SIGTERM');
    }
    for (const [name, running] of services) {
      const { code, stderr } = await running.finished;
      expect(code, `${name} ended with ${code}: ${stderr}`).toBe(0);
    }
    await expectSame(folder.path, probe);
  });

  /** Same state, no rollout lost, none counted twice. */
  async function expectSame(data: string, probe: LogProbe): Promise<void> {
    const shown = await show(data);
    expect(shown).toMatchObject({
      experimentId: expected.experimentId,
      status: expected.status,
      stateHash: expected.stateHash,
      best: expected.best,
    });
    expect(shown.ledger.rollouts).toEqual(expected.ledger.rollouts);
    const verdicts = await probe.eventIds('whale.rollout.verified.v1');
    const total = Object.values(expected.ledger.rollouts).reduce((sum, n) => sum + n, 0);
    expect(new Set(verdicts).size).toBe(total);
    await probe.close();
    const rebuilt = await whale(['rebuild', '--data', data]);
    expect(rebuilt.stderr + rebuilt.stdout).toContain('equal');
    expect(rebuilt.code).toBe(0);
  }
});
