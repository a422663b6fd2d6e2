import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { readModelsContract } from '../testing/index.ts';
import { requests } from '../testing/requests-projection.ts';
import { ReadModels } from './read-models.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-read-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

readModelsContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'whale-read-'));
  let file = 0;
  const path = () => join(folder, 'deeper', `${file}.sqlite`);
  const asked = async (sql: string) => {
    const db = new Database(path(), { readonly: true });
    try {
      return db.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      db.close();
    }
  };
  return {
    options: () => ({ path: path() }),
    reset: async () => {
      file++;
    },
    rows: (table) => asked(`SELECT * FROM "${table}" ORDER BY experiment_id`),
    tables: async () =>
      (await asked("SELECT name FROM sqlite_master WHERE type = 'table'")).map((row) => row['name'] as string),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});

test('transactions of one process come one after the other, also while tables join', async () => {
  const readModels = new ReadModels({ path: join(await temporaryFolder(), 'read-models.sqlite') });
  onTestFinished(() => readModels.close());
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

test('a file that holds no read models is an environment error with the remedy', async () => {
  const path = join(await temporaryFolder(), 'read-models.sqlite');
  await writeFile(path, 'no database at all, but a text that is long enough to be taken for the head of a page');
  const readModels = new ReadModels({ path });
  expect(await readModels.exists()).toBe(true);
  await expect(readModels.register([requests])).rejects.toMatchObject({
    code: 'ENVIRONMENT',
    message: expect.stringContaining('They may be deleted') as string,
  });
});
