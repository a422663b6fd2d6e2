import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '@whale/kernel';
import { onTestFinished, expect, test } from 'vitest';
import { FolderBlobStore } from './folder.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'whale-blobs-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const fileOf = (root: string, hash: string) => join(root, hash.slice(0, 2), hash);

test('what is put is got back by a reference that names no machine', async () => {
  const store = new FolderBlobStore(join(await folder(), 'not', 'made', 'yet'));
  const ref = await store.put(bytes('θ'));
  expect(ref).toEqual({ uri: `blob:sha256/${sha256('θ')}`, sha256: sha256('θ'), bytes: 2 });
  expect(new TextDecoder().decode(await store.get(ref))).toBe('θ');
  expect(await store.get(await store.put(new Uint8Array()))).toHaveLength(0);
});

test('putting the same bytes twice, also at the same time, leaves one whole file', async () => {
  const root = await folder();
  const store = new FolderBlobStore(root);
  const large = new Uint8Array(1 << 20).fill(7);
  const refs = await Promise.all(Array.from({ length: 8 }, () => store.put(large)));
  expect(new Set(refs.map((ref) => ref.uri)).size).toBe(1);
  const [directory] = await readdir(root);
  expect(await readdir(join(root, directory as string))).toEqual([refs[0]?.sha256]);
});

test('a blob is never half there under its name: a file cut off by a kill is written anew', async () => {
  const root = await folder();
  const store = new FolderBlobStore(root);
  const ref = await store.put(bytes('whole'));
  await writeFile(fileOf(root, ref.sha256), 'who');
  await store.put(bytes('whole'));
  expect(await readFile(fileOf(root, ref.sha256), 'utf8')).toBe('whole');
});

test('bytes that do not hash to the reference are an error, never data', async () => {
  const root = await folder();
  const store = new FolderBlobStore(root);
  const ref = await store.put(bytes('whole'));
  await writeFile(fileOf(root, ref.sha256), 'wrong');
  await expect(store.get(ref)).rejects.toMatchObject({ code: 'BLOB_CORRUPT', retryable: false });
});

test('a blob that is not there is an error that names it', async () => {
  const store = new FolderBlobStore(await folder());
  const missing = { uri: `blob:sha256/${sha256('x')}`, sha256: sha256('x') };
  await expect(store.get(missing)).rejects.toMatchObject({ code: 'BLOB_MISSING', retryable: true });
  await expect(store.get(missing)).rejects.toThrow(sha256('x'));
});

test('a reference of another store is refused', async () => {
  const store = new FolderBlobStore(await folder());
  await expect(store.get({ uri: 's3://bucket/x', sha256: sha256('x') })).rejects.toMatchObject({ code: 'BLOB_SCHEME' });
});

test('a folder that cannot be written is an environment error that names it', async () => {
  const root = join(await folder(), 'file');
  await writeFile(root, 'a file where a folder should be');
  await expect(new FolderBlobStore(root).put(bytes('x'))).rejects.toMatchObject({ code: 'ENVIRONMENT' });
  await expect(new FolderBlobStore(root).put(bytes('x'))).rejects.toThrow(root);
});
