import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import type { Position } from '@whale/event-log';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { dataFolder } from '@whale/service-host';
import { PostgresDatabase, PostgresServiceStore, stateKey, type ReadModelOptions } from '@whale/service-kit';
import { testPostgres } from '@whale/test-postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ScriptedServices } from '../support/scripted-services.ts';
import { liveState, restore } from './live-state.ts';
import { headsOf, loggedEvents, type LoggedEvent } from './logged-events.ts';
import { ReadModelRebuild } from './rebuild-read-models.ts';
import { REBUILDABLE } from './rebuildable.ts';

const postgres = await testPostgres('rebuilding on PostgreSQL');

let services: ScriptedServices;
let blobs: FolderBlobStore;
let heads: readonly Position[];
let logged: readonly LoggedEvent[];
beforeAll(async () => {
  services = await ScriptedServices.inNewFolder();
  await services.start();
  await services.submit();
  await services.until('whale.experiment.ended.v1');
  await services.stop();
  const folder = dataFolder(services.data);
  blobs = new FolderBlobStore(folder.blobs);
  const log = await SqliteEventLog.open({ path: folder.log });
  heads = await headsOf(log);
  logged = await loggedEvents({ log, blobs }, heads, services.experimentId);
  await log.close();
}, 60_000);
afterAll(async () => {
  await services.remove();
  await postgres?.close();
});

async function opened(): Promise<PostgresDatabase> {
  const database = await PostgresDatabase.open((await postgres?.database()) as string);
  onTestFinished(() => database.close());
  return database;
}

async function rebuilt(place: ReadModelOptions) {
  const tables = await ReadModelRebuild.open(place);
  try {
    const report = await tables.compare(logged, heads, services.experimentId);
    if (report.equal || report.restored) await tables.swap(logged, heads, services.experimentId);
    return report;
  } finally {
    await tables.close();
  }
}

describe.skipIf(!postgres)('on PostgreSQL', () => {
  test('B2, B3: read models that are missing are put back, then equal those of SQLite; a tampered row is told', async () => {
    const database = await opened();
    const place = { database, schema: 'whale_read' };
    const first = await rebuilt(place);
    expect(first).toMatchObject({ restored: true, live: null });
    const again = await rebuilt(place);
    expect(again).toMatchObject({ equal: true, restored: false, live: first.rebuilt });
    expect(await rebuilt({ path: join(services.data, 'read-models.sqlite') })).toEqual(again);

    await database.ask({ text: "UPDATE whale_read.phases SET rollouts = 1 WHERE kind = 'weight' AND cycle = 1" });
    const tampered = await rebuilt(place);
    expect(tampered.equal).toBe(false);
    expect(tampered.differences).toEqual([expect.stringMatching(/^phases\.phase-[0-9a-f]+\.rollouts: live 1, /)]);

    const text = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'whale_read'";
    const names = (await database.ask({ text })).map((row) => String(row['name']));
    expect(names.filter((name) => name.startsWith('shadow_'))).toEqual([]);
    await database.ask({ text: 'DROP TABLE whale_read.phases' });
    expect(await rebuilt(place)).toMatchObject({ restored: true, rebuilt: first.rebuilt });
  });

  test('B3: a service store is looked at without making one, and put back', async () => {
    const database = await opened();
    const schema = 'whale_scheduler';
    const place = {
      exists: () => PostgresServiceStore.exists(database, schema),
      open: () => new PostgresServiceStore(database, schema),
    };
    const look = () => liveState(place, heads, services.experimentId, blobs);
    expect(await look()).toMatchObject({ deleted: true, checkpoints: [] });
    expect(await place.exists()).toBe(false);
    const scheduler = REBUILDABLE.find(({ name }) => name === 'scheduler');
    if (!scheduler) throw new Error('no scheduler');
    const states = new Map([[services.experimentId, { n: 1 }]]);
    const checkpoints = heads.filter(({ offset }) => offset > 0);
    await restore(place, scheduler, { states, whole: { inbox: ['e1'], checkpoints, unpublished: [] } }, blobs);
    expect(await look()).toMatchObject({ deleted: false, checkpoints, document: { n: 1 }, outbox: [] });
    expect((await place.open().documents([stateKey(services.experimentId)])).size).toBe(1);
  });
});
