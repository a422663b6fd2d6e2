import { join } from 'node:path';
import { ExperimentCancelRequested, ProposalFailed } from '@whale/contracts';
import type { RecordBatch } from '@whale/event-log';
import Database from 'libsql';
import { onTestFinished, expect, test, vi } from 'vitest';
import { startService } from '../service.ts';
import { ECHO_TOPIC, REQUEST_TOPIC, echoService, request } from '../support/echo-service.ts';
import { recordOf, temporaryPlatform, type TemporaryPlatform } from '../support/temporary-platform.ts';
import { moveCheckpoint, readCheckpoints } from './checkpoints.ts';
import { projection, type Projection } from './projection.ts';
import { projectionGroup, Projector } from './projector.ts';
import { ReadModels } from './read-models.ts';
import { createTable, integer, json, readTable, text } from './read-table.ts';

const KEY = { experiment_id: text };
const COLUMNS = { reason: text, answer: json, attempt: integer };
const table = readTable({ name: 'requests', key: KEY, columns: COLUMNS });

const requests: Projection = projection({
  table,
  migrations: [createTable('CreateRequests1759000000001', 'requests', KEY, COLUMNS)],
  consumes: [ExperimentCancelRequested, ProposalFailed],
  project: (event) => {
    const key = { experiment_id: event.data.experimentId };
    if (event.type === 'whale.experiment.cancel-requested.v1') return [{ key, set: { reason: event.data.reason } }];
    return [{ key, set: { answer: event.data.error, attempt: event.data.attempt } }];
  },
});

interface SetUp {
  platform: TemporaryPlatform;
  readModels: ReadModels;
  projector: Projector;
  path: string;
  /** Rows as another program sees them. */
  rows(): Record<string, unknown>[];
}

async function setUp(): Promise<SetUp> {
  const platform = await temporaryPlatform();
  const path = join(platform.folder, 'read-models.sqlite');
  const readModels = new ReadModels({ path });
  const projector = new Projector({
    ...platform,
    service: 'proposer',
    projections: [requests],
    readModels,
    onTrouble: (message) => void platform.troubles.push(message),
  });
  onTestFinished(async () => {
    await projector.stop();
    await readModels.close();
  });
  const rows = () => {
    const db = new Database(path, { readonly: true });
    try {
      return db.prepare('SELECT * FROM requests ORDER BY experiment_id').all() as Record<string, unknown>[];
    } finally {
      db.close();
    }
  };
  return { platform, readModels, projector, path, rows };
}

function batchOf(reasons: readonly string[], from = 0): RecordBatch {
  const records = reasons.map((reason, i) => ({
    ...recordOf(request(reason, reason)),
    partition: 0,
    offset: from + i,
    timestamp: 0,
  }));
  return { topic: REQUEST_TOPIC, partition: 0, records, nextOffset: from + reasons.length };
}

test('a service with projections fills its tables, and any SQLite client reads them', async () => {
  const { platform, readModels, rows } = await setUp();
  const definition = { ...echoService(), projections: [requests] };
  const service = await startService(definition, { ...platform, readModels }, {});
  onTestFinished(() => service.stop());
  await platform.log.append(['a', 'b'].map((id) => recordOf(request(id, `because ${id}`))));
  const answered = (id: string) => ({
    experiment_id: id,
    reason: `because ${id}`,
    answer: JSON.stringify({ code: 'ECHO', message: `because ${id}`, retryable: false }),
    attempt: 1,
  });
  await vi.waitFor(() => expect(rows()).toEqual([answered('a'), answered('b')]), 10_000);
});

test('a projector that stops takes in what is on the log already', async () => {
  const { platform, projector, rows } = await setUp();
  await platform.log.ensureTopics([REQUEST_TOPIC, ECHO_TOPIC].map((name) => ({ name, partitions: 3 })));
  await projector.start();
  const ids = Array.from({ length: 600 }, (_, i) => `x${i}`);
  await platform.log.append(ids.map((id) => recordOf(request(id))));
  await projector.stop();
  expect(rows()).toHaveLength(ids.length);
});

test('R1: a batch that comes again changes nothing', async () => {
  const { readModels, projector, rows } = await setUp();
  await readModels.register([requests]);
  const batch = batchOf(['a', 'b']);
  await projector.handle(batch);
  const once = rows();
  await projector.handle(batch);
  expect(rows()).toEqual(once);
  expect(once).toHaveLength(2);
});

test('R1: rows and checkpoint change together or not at all', async () => {
  const { readModels, projector, rows } = await setUp();
  await readModels.register([requests]);
  const good = requests.project;
  const broken: Projection = {
    ...requests,
    project: (event) => (event.data.experimentId === 'b' ? [{ key: {} as never, set: { nonsense: 1 } }] : good(event)),
  };
  const failing = new Projector({
    service: 'proposer',
    projections: [broken],
    readModels,
    log: undefined as never,
    blobs: undefined as never,
    onTrouble: () => undefined,
  });
  await expect(failing.handle(batchOf(['a', 'b']))).rejects.toThrow();
  expect(rows()).toEqual([]);
  const checkpoints = () => readModels.transaction((manager) => readCheckpoints(manager, projectionGroup('proposer')));
  expect(await checkpoints()).toEqual([]);
  await projector.handle(batchOf(['a', 'b']));
  expect(rows()).toHaveLength(2);
  expect(await checkpoints()).toEqual([{ topic: REQUEST_TOPIC, partition: 0, offset: 2 }]);
});

test('R1: a consumer that has lost its partition cannot go on', async () => {
  const { readModels, projector } = await setUp();
  await readModels.register([requests]);
  const batch = batchOf(['a', 'b']);
  await projector.handle(batch);
  for (const from of [undefined, 0, 1, 3]) {
    const group = projectionGroup('proposer');
    await expect(
      readModels.transaction((manager) => moveCheckpoint(manager, group, batch, from, 9)),
      String(from),
    ).rejects.toThrow();
  }
});

test('R2: a record that cannot be read is passed over', async () => {
  const { readModels, projector, rows, platform } = await setUp();
  await readModels.register([requests]);
  const batch = batchOf(['a', 'b']);
  const [first, second] = batch.records;
  await projector.handle({ ...batch, records: [{ ...first, value: '{' } as never, second as never] });
  expect(rows().map((row) => row['experiment_id'])).toEqual(['b']);
  expect(platform.troubles).toEqual([expect.stringContaining(`pass over ${REQUEST_TOPIC}/0@0`)]);
});

test('R2: an unknown type and a newer version are passed over with a line, what is not projected in silence', async () => {
  const { readModels, projector, rows, platform } = await setUp();
  await readModels.register([requests]);
  const batch = batchOf(['a', 'b', 'c', 'd', 'e']);
  const types = ['whale.nobody.knows.v1', 'whale.experiment.cancel-requested.v9', 'whale.experiment.submitted.v9'];
  const records = batch.records.map((record, i) => ({
    ...record,
    headers: { ...record.headers, ...(types[i] && { ce_type: types[i] }) },
  }));
  await projector.handle({ ...batch, records });
  expect(rows().map((row) => row['experiment_id'])).toEqual(['d', 'e']);
  expect(platform.troubles).toEqual([
    expect.stringContaining(`${REQUEST_TOPIC}/0@0: no event is called whale.nobody.knows.v1`),
    expect.stringContaining(`${REQUEST_TOPIC}/0@1: whale.experiment.cancel-requested.v9 is newer than this release`),
  ]);
});

test('transactions of one process come one after the other, also while tables join', async () => {
  const { readModels } = await setUp();
  await readModels.register([requests]);
  let open = 0;
  const transaction = (i: number) =>
    readModels.transaction(async (manager) => {
      expect(++open).toBe(1);
      await manager.getRepository('requests').insert({ experiment_id: `x${i}` });
      await new Promise((resolve) => setTimeout(resolve, 1));
      open--;
    });
  await Promise.all([...Array(10).keys()].map(transaction).concat(readModels.register([requests]), transaction(99)));
  expect(await readModels.transaction((manager) => manager.getRepository('requests').count())).toBe(11);
});

test('a table that its migrations do not make is noticed', async () => {
  const { readModels } = await setUp();
  await readModels.register([requests]);
  expect(await readModels.pendingChanges()).toEqual([]);
  const grown = { ...requests, table: { ...requests.table, columns: { ...COLUMNS, forgotten: text } } };
  await readModels.register([grown]);
  expect((await readModels.pendingChanges()).join()).toContain('forgotten');
});

test('shadow tables stand beside the live ones and can be dropped', async () => {
  const { readModels, path } = await setUp();
  await readModels.register([requests]);
  const shadow = new ReadModels({ path, prefix: 'shadow_' });
  await shadow.register([requests]);
  const tables = () => {
    const db = new Database(path, { readonly: true });
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    db.close();
    return names.map(({ name }) => name).filter((name) => name.startsWith('shadow_'));
  };
  expect(tables().sort()).toEqual(['shadow_migrations', 'shadow_projection_checkpoints', 'shadow_requests']);
  await shadow.drop();
  expect(tables()).toEqual([]);
});
