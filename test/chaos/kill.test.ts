import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '@whale/contracts';
import { rng, type Rng } from '@whale/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../support/fleet.ts';
import { expectSame } from '../support/expect-same.ts';
import { Place } from '../support/place.ts';
import { quietRun, TINY, type QuietRun } from '../support/quiet-run.ts';
import { scratchFolder, startWhale, type Finished } from '../support/whale-process.ts';

/** Share of the records by which the last kill has come: so that there is still somebody to be killed. */
const LATEST = 0.9;
/** Kills of the process that hosts all six services, and kills of single services in processes of their own. */
const KILLS_TOGETHER = Number(process.env['WHALE_CHAOS_TOGETHER'] ?? 14);
const KILLS_APART = Number(process.env['WHALE_CHAOS_APART'] ?? 6);
const SEED = process.env['WHALE_CHAOS_SEED'] ?? new Date().toISOString();

describe(`kill -9 (seed ${SEED})`, () => {
  const folders: { remove: () => void }[] = [];
  const newPlace = (name: string): Place => {
    const folder = scratchFolder(name);
    folders.push(folder);
    return new Place({ data: folder.path });
  };
  let quiet: QuietRun;
  const pointsOf = (kills: number, random: Rng) =>
    Array.from({ length: kills }, () => random.int(Math.floor(quiet.records * LATEST))).sort((a, b) => a - b);

  beforeAll(async () => {
    quiet = await quietRun();
  }, 120_000);

  afterAll(() => folders.forEach((folder) => folder.remove()));

  it(`${KILLS_TOGETHER} random kills of the whole process end in the state of the undisturbed run`, async () => {
    const place = newPlace('killed');
    const random = rng(`${SEED}/together`);
    const points = pointsOf(KILLS_TOGETHER, random);
    const probe = place.probe();
    let kills = 0;
    for (const point of points) {
      const running = startWhale(['run', TINY, ...place.flags]);
      let done: Finished | undefined;
      void running.finished.then((finished) => (done = finished));
      // A point that lies behind already still gets its kill: somewhere in the start.
      if (!(await probe.reached(point, () => done !== undefined))) break;
      await sleep(random.int(60));
      running.process.kill('SIGKILL');
      if ((await running.finished).signal === 'SIGKILL') kills++;
    }
    const last = await place.whale('run', TINY);
    expect(last.stderr).toBe('');
    expect(last.code).toBe(0);
    expect(kills).toBe(KILLS_TOGETHER);
    await expectSame(place, quiet.shown, probe);
  });

  it(`${KILLS_APART} random kills of single services in processes of their own do so as well`, async () => {
    const place = newPlace('apart');
    const random = rng(`${SEED}/apart`);
    const probe = place.probe();
    expect((await place.whale('run', TINY, '--detach')).code).toBe(0);
    const fleet = new Fleet(place);
    for (const name of SERVICES) fleet.start(name);
    try {
      const points = pointsOf(KILLS_APART, random);
      const victims = random.shuffle(SERVICES);
      for (const [i, point] of points.entries()) {
        await probe.reached(point);
        const victim = fleet.members.find(({ services }) => services[0] === victims[i % victims.length]);
        if (!victim) throw new Error('no such process');
        await fleet.kill(victim);
        fleet.start(...victim.services);
      }
      await place.ended(probe, 120_000);
      await fleet.stop();
    } finally {
      fleet.killAll();
    }
    await expectSame(place, quiet.shown, probe);
  });
});
