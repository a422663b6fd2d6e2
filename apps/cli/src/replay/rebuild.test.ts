import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { embedded, openState } from '@whale/service-host';
import { ScriptedServices } from '../support/scripted-services.ts';
import { withData } from '../log/open.ts';
import { rebuild } from './rebuild.ts';
import type { RebuildReport } from './report.ts';
import { experimentStateHash } from './state-hash.ts';

const ENDED = 'whale.experiment.ended.v1';

let over: ScriptedServices;
let halfway: ScriptedServices;
beforeAll(async () => {
  over = await ScriptedServices.inNewFolder();
  await over.start();
  await over.submit();
  await over.until(ENDED);
  await over.stop();

  halfway = await ScriptedServices.inNewFolder();
  await halfway.start();
  await halfway.submit();
  await halfway.until('whale.harness.scored.v1', 2);
  await halfway.stop();
}, 60_000);
afterAll(async () => {
  await over.remove();
  await halfway.remove();
});

async function copyOf(services: ScriptedServices): Promise<ScriptedServices> {
  const copy = await services.copy();
  onTestFinished(() => copy.remove());
  return copy;
}
/** An experiment that has come to its end. */
const finished = () => copyOf(over);
/** One that was stopped in the middle of a harness phase. */
const underWay = () => copyOf(halfway);

async function rebuilt({ data, experimentId }: ScriptedServices): Promise<RebuildReport> {
  const state = await openState(embedded(data), {});
  const report = await withData(embedded(data), async (open) => open && rebuild(state, open, experimentId));
  if (!report) throw new Error('no data');
  return report;
}

const hash = ({ data, experimentId }: ScriptedServices) =>
  withData(embedded(data), async (open) => open && experimentStateHash(open.log, open.blobs, experimentId));

const deleteFile = async (services: ScriptedServices, ...path: string[]) => {
  for (const end of ['', '-wal', '-shm']) await rm(join(services.data, ...path) + end, { force: true });
};

function sql(services: ScriptedServices, path: string[], statement: string): unknown[] {
  const db = new Database(join(services.data, ...path));
  try {
    const prepared = db.prepare(statement);
    return statement.startsWith('SELECT') ? prepared.all() : [prepared.run()];
  } finally {
    db.close();
  }
}

const verdicts = (report: RebuildReport) =>
  Object.fromEntries(
    report.parts.map(({ part, equal, restored }) => [part, restored ? 'restored' : equal ? 'equal' : 'different']),
  );
const ALL_EQUAL = { scheduler: 'equal', patience: 'equal', archive: 'equal', 'read models': 'equal' };

test('B1: all decisions of a finished experiment are made again, state and tables come out equal', async () => {
  const services = await finished();
  const report = await rebuilt(services);
  expect(report).toMatchObject({ equal: true, decisions: { disagreements: [] } });
  expect(report.decisions.remade).toBeGreaterThan(150);
  expect(verdicts(report)).toEqual(ALL_EQUAL);
  expect(await rebuilt(services)).toEqual(report);
  const shadows = sql(services, ['read-models.sqlite'], "SELECT name FROM sqlite_master WHERE name LIKE 'shadow%'");
  expect(shadows).toEqual([]);
});

test('B2: what is live in the middle of a run is compared at its own checkpoints', async () => {
  const services = await underWay();
  expect(verdicts(await rebuilt(services))).toEqual(ALL_EQUAL);
});

test('B2: a tampered state is reported and nothing is touched', async () => {
  const services = await finished();
  const tampered = `UPDATE document SET value = json_set(value, '$.ledger.rollouts.weight', 7)`;
  sql(services, ['services', 'scheduler.sqlite'], tampered);
  const report = await rebuilt(services);
  expect(report.equal).toBe(false);
  expect(verdicts(report)).toEqual({ ...ALL_EQUAL, scheduler: 'different' });
  expect(report.parts[0]?.differences).toEqual([
    expect.stringMatching(/^ledger\.rollouts\.weight: live 7, rebuilt \d+$/),
  ]);
  expect(verdicts(await rebuilt(services))).toEqual(verdicts(report));
});

test('B2: a tampered table is reported, row and column by name, and nothing is touched', async () => {
  const services = await finished();
  sql(services, ['read-models.sqlite'], "UPDATE phases SET rollouts = 1 WHERE kind = 'weight' AND cycle = 1");
  const report = await rebuilt(services);
  expect(verdicts(report)).toEqual({ ...ALL_EQUAL, 'read models': 'different' });
  expect(report.parts.at(-1)?.differences).toEqual([
    expect.stringMatching(/^phases\.phase-[0-9a-f]+\.rollouts: live 1, rebuilt \d+$/),
  ]);
  const [row] = sql(services, ['read-models.sqlite'], 'SELECT rollouts FROM phases WHERE rollouts = 1');
  expect(row).toMatchObject({ rollouts: 1 });
});

test('B1: a decision on the log that does not follow from it is reported', async () => {
  const services = await finished();
  await services.start();
  await services.append({
    type: 'whale.cycle.ended.v1',
    data: {
      experimentId: services.experimentId,
      cycle: 9,
      weights: { version: 'w0', uri: 'x', sha256: '0'.repeat(64), bytes: 1 },
      harness: { id: '0'.repeat(64), uri: 'x', bytes: 1 },
    },
  });
  await services.stop();
  const report = await rebuilt(services);
  expect(report.equal).toBe(false);
  expect(report.decisions.disagreements).toEqual([expect.stringContaining('whale.cycle.ended.v1 of rebuilt-')]);
});

test('B3: deleted state and tables are put back with their checkpoints, and the services go on to the same end', async () => {
  const undisturbed = await finished();
  const services = await underWay();
  await deleteFile(services, 'services', 'scheduler.sqlite');
  await deleteFile(services, 'services', 'archive.sqlite');
  await deleteFile(services, 'read-models.sqlite');
  const restored = { scheduler: 'restored', patience: 'restored', archive: 'restored', 'read models': 'restored' };
  expect(verdicts(await rebuilt(services))).toEqual(restored);
  expect(verdicts(await rebuilt(services))).toEqual(ALL_EQUAL);

  await services.start();
  const mine = ['whale.rollout.requested.v1', 'whale.weight-step.opened.v1', 'whale.harness.scored.v1'] as const;
  await services.until(ENDED);
  // They went on from their checkpoints: nothing was decided a second time.
  const ids = await services.ids(...mine);
  expect(new Set(ids).size).toBe(ids.length);
  await services.stop();
  expect(verdicts(await rebuilt(services))).toEqual(ALL_EQUAL);
  expect(await hash(services)).toBe(await hash(undisturbed));
});

test('B3: one deleted document or table is put back alone', async () => {
  const services = await finished();
  sql(services, ['services', 'archive.sqlite'], 'DELETE FROM document');
  expect(verdicts(await rebuilt(services))).toEqual({ ...ALL_EQUAL, archive: 'restored' });
  sql(services, ['read-models.sqlite'], 'DROP TABLE weight_steps');
  expect(verdicts(await rebuilt(services))).toEqual({ ...ALL_EQUAL, 'read models': 'restored' });
  expect(verdicts(await rebuilt(services))).toEqual(ALL_EQUAL);
});

test('a cancelled experiment comes back as it ended', async () => {
  const services = await ScriptedServices.inNewFolder();
  onTestFinished(() => services.remove());
  await services.start();
  await services.submit();
  await services.until('whale.weight-step.opened.v1', 2);
  await services.append({
    type: 'whale.experiment.cancel-requested.v1',
    data: { experimentId: services.experimentId, reason: 'enough' },
  });
  await services.until(ENDED);
  await services.stop();
  expect(verdicts(await rebuilt(services))).toEqual({ ...ALL_EQUAL });
});

test('the state hash is known from the log alone', async () => {
  const services = await finished();
  const known = await hash(services);
  expect(known).toMatch(/^[0-9a-f]{64}$/);
  await deleteFile(services, 'services', 'scheduler.sqlite');
  await deleteFile(services, 'services', 'archive.sqlite');
  expect(await hash(services)).toBe(known);
});
