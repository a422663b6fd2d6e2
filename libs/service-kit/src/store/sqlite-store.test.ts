import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { onTestFinished, expect, test } from 'vitest';
import { serviceStoreContract } from '../testing/index.ts';
import { SqliteServiceStore } from './sqlite-store.ts';

serviceStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'whale-store-'));
  let file = 0;
  return {
    open: async () => new SqliteServiceStore(join(folder, `${file}.sqlite`)),
    reset: async () => {
      file++;
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
});

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'whale-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'deeper', 'store.sqlite');
}

test('a file of another version is refused with the remedy', async () => {
  const path = await temporaryFile();
  await new SqliteServiceStore(path).close();
  const db = new Database(path);
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => new SqliteServiceStore(path)).toThrow(/another version of whale.*Delete the file/s);
});

test('a folder that cannot be made is an environment error that says what to do', async () => {
  const path = await temporaryFile();
  await writeFile(join(path, '..', '..', 'deeper'), 'a file where a folder should be');
  expect(() => new SqliteServiceStore(path)).toThrow(/Choose a folder that you may write to with --data DIR/);
});
