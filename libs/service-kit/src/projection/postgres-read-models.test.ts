import { startPostgres, testPostgres } from '@whale/test-postgres';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { PostgresDatabase } from '../store/postgres-database.ts';
import { readModelsContract } from '../testing/index.ts';
import { batchOf, handFedProjector, requests } from '../testing/requests-projection.ts';
import { readCheckpoints } from './checkpoints.ts';
import { projectionGroup } from './projector.ts';
import { ReadModels } from './read-models.ts';

const postgres = await testPostgres('read models on PostgreSQL');
afterAll(() => postgres?.close());

describe.skipIf(!postgres)('PostgreSQL', () => {
  readModelsContract('postgres', async () => {
    const database = await PostgresDatabase.open((await postgres?.database()) as string);
    let n = 0;
    const schema = () => `whale_read_${n}`;
    return {
      options: () => ({ database, schema: schema() }),
      reset: async () => {
        n++;
      },
      rows: (table) => database.ask({ text: `SELECT * FROM "${schema()}"."${table}" ORDER BY experiment_id` }),
      tables: async () => {
        const text = 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1';
        return (await database.ask({ text, values: [schema()] })).map((row) => row['name'] as string);
      },
      dispose: () => database.close(),
    };
  });

  /** Read models of a process of its own. */
  async function ownProcess(url: string): Promise<ReadModels> {
    const models = new ReadModels({ database: url });
    onTestFinished(() => models.close());
    await models.register([requests]);
    return models;
  }

  test('R1: of projectors that take in one batch at once, one does', async () => {
    const url = (await postgres?.database()) as string;
    const processes = await Promise.all(Array.from({ length: 4 }, () => ownProcess(url)));
    const projectors = processes.map((models) => handFedProjector(models));
    for (let from = 0; from < 60; from += 3) {
      const batch = batchOf([`${from}a`, `${from}b`, `${from}c`], { from });
      const outcomes = await Promise.allSettled(projectors.map((projector) => projector.handle(batch)));
      const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      expect(reasons.length).toBeLessThan(projectors.length);
      for (const reason of reasons) expect(reason).toMatchObject({ code: 'STORE_STALE_CONSUMER', retryable: true });
    }
    const [models] = processes as [ReadModels];
    expect(await models.transaction((manager) => manager.getRepository('requests').count())).toBe(60);
    const positions = await models.transaction((manager) => readCheckpoints(manager, projectionGroup('proposer')));
    expect(positions.map(({ offset }) => offset)).toEqual([60]);
  });

  test('transactions go on side by side, also while tables join', async () => {
    const models = await ownProcess((await postgres?.database()) as string);
    let inside = 0;
    let allInside: () => void = () => undefined;
    const met = new Promise<void>((resolve) => (allInside = resolve));
    const transaction = (i: number) =>
      models.transaction(async (manager) => {
        await manager.getRepository('requests').insert({ experiment_id: `x${i}` });
        if (++inside === 3) allInside();
        await met;
      });
    const running = [0, 1, 2].map(transaction);
    await models.register([requests]);
    await Promise.all(running);
    expect(await models.transaction((manager) => manager.getRepository('requests').count())).toBe(3);
  });

  test('a server that dies makes a retryable error, and is used again when it is back', async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const models = await ownProcess(server.url);
    const projector = handFedProjector(models);
    await projector.handle(batchOf(['a']));
    await server.kill();
    const unavailable = { code: 'STORE_UNAVAILABLE', retryable: true };
    await expect(projector.handle(batchOf(['b'], { from: 1 }))).rejects.toMatchObject(unavailable);
    await expect(projector.handle(batchOf(['b'], { from: 1 }))).rejects.toMatchObject(unavailable);
    await server.restart();
    await projector.handle(batchOf(['b'], { from: 1 }));
    expect(await models.transaction((manager) => manager.getRepository('requests').count())).toBe(2);
  });

  test('a schema that is dropped under them ends them for this process', async () => {
    const url = (await postgres?.database()) as string;
    const models = await ownProcess(url);
    const projector = handFedProjector(models);
    await projector.handle(batchOf(['a']));
    expect(models.lost).toBeNull();
    await models.transaction((manager) => manager.query('DROP SCHEMA whale_read CASCADE'));
    const gone = { code: 'STORE_GONE', retryable: false };
    await expect(projector.handle(batchOf(['b'], { from: 1 }))).rejects.toMatchObject(gone);
    expect(models.lost).toMatchObject(gone);
    await ownProcess(url);
    await expect(projector.handle(batchOf(['b'], { from: 1 }))).rejects.toMatchObject(gone);
  });

  test('a schema that cannot be used, and a name that is none, are told with what to do', async () => {
    const database = await PostgresDatabase.open((await postgres?.database()) as string);
    onTestFinished(() => database.close());
    expect(() => new ReadModels({ database, schema: 'Read Models' })).toThrow(/expected a small letter/);
    const absent = new ReadModels({ database: 'postgresql://u:p@127.0.0.1:1/db' });
    await expect(absent.register([requests])).rejects.toMatchObject({ code: 'ENVIRONMENT', retryable: true });
  });
});
