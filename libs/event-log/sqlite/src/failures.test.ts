import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Child, Consumer, readAll, record } from '@whale/event-log-testing';
import { SqliteEventLog } from './sqlite-event-log.ts';
import type { AppenderChildMessage } from './testing/appender-child.ts';
import type { ReaderChildMessage } from './testing/reader-child.ts';
import { temporaryFolder, temporaryLog } from './testing/temporary.ts';

const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;
const MB = 1 << 20;

const hundred = (value: string) => Array.from({ length: 100 }, (_, index) => record('t', `k${index}`, value));

/** Appends until it fails; the number of appends that returned, and the failure. */
async function fill(log: SqliteEventLog, value: string): Promise<{ appended: number; error: unknown }> {
  for (let appended = 0; ; appended++) {
    try {
      await log.append(hundred(value));
    } catch (error) {
      return { appended, error };
    }
  }
}

/** A file system of `size` bytes, or undefined where this user may not mount. */
async function tinyDisk(size: number): Promise<string | undefined> {
  const folder = join(await temporaryFolder(), 'disk');
  await mkdir(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

describe('failures', () => {
  it('S4: a full quota is LOG_FULL, retryable, and leaves nothing half-written', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path, maxBytes: MB });
    await log.ensureTopics([{ name: 't', partitions: 3 }]);
    const { appended, error } = await fill(log, 'x'.repeat(500));
    expect(error).toMatchObject({ name: 'LogError', code: 'LOG_FULL', retryable: true });
    expect((error as Error).message).toContain(path);
    expect(appended).toBeGreaterThan(3);
    expect(await readAll(log, 't')).toHaveLength(appended * 100);
    const roomy = await temporaryLog({ path });
    await roomy.append(hundred('more'));
    expect(await readAll(log, 't')).toHaveLength((appended + 1) * 100);
  });

  it('S4: of the calls that share a transaction only the one that cannot be written fails', async () => {
    const log = await temporaryLog({ maxBytes: MB });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    const small = () => log.append([record('t', 'k', 'small')]);
    const large = log.append([record('t', 'k', 'x'.repeat(2 * MB))]);
    const nowhere = log.append([record('nowhere', 'k', 'v')]);
    const results = await Promise.allSettled([small(), large, nowhere, small()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((await readAll(log, 't')).map(({ value }) => value)).toEqual(['small', 'small']);
  });

  it('S4: a disk that is really full is LOG_FULL, and appends go on once there is space', async (context) => {
    const disk = await tinyDisk(6 * MB);
    if (disk === undefined) return context.skip('this user may not mount a file system');
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(2 * MB));
    const log = await SqliteEventLog.open({ path: join(disk, 'log.db') });
    await log.ensureTopics([{ name: 't', partitions: 3 }]);
    const { appended, error } = await fill(log, 'x'.repeat(2_000));
    expect(error).toMatchObject({ name: 'LogError', code: 'LOG_FULL', retryable: true });
    expect(await readAll(log, 't')).toHaveLength(appended * 100);
    const consumer = await new Consumer().start(log, 'g', 't').catch((failure: unknown) => failure);
    if (!(consumer instanceof Consumer)) expect(consumer).toMatchObject({ code: 'LOG_FULL' });
    await writeFile(ballast, '');
    await log.append(hundred('more'));
    expect(await readAll(log, 't')).toHaveLength((appended + 1) * 100);
    await log.close();
    const again = await SqliteEventLog.open({ path: join(disk, 'log.db') });
    expect(await readAll(again, 't')).toHaveLength((appended + 1) * 100);
    await again.close();
  });

  it('S4: a folder or file without write permission is LOG_READONLY', async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    const locked = join(folder, 'locked');
    await mkdir(locked);
    await (await SqliteEventLog.open({ path: join(folder, 'log.db') })).close();
    await chmod(join(folder, 'log.db'), 0o444);
    await chmod(locked, 0o555);
    for (const path of [join(locked, 'log.db'), join(locked, 'deeper', 'log.db'), join(folder, 'log.db')]) {
      const module = new URL('./testing/appender-child.ts', import.meta.url);
      const child = new Child<AppenderChildMessage>(module, [path, 't', 'p', '1', '1', '1'], NOBODY);
      await child.exit();
      expect(child.messages).toEqual([
        { type: 'failed', code: 'LOG_READONLY', message: expect.stringMatching(`${path} cannot be written: give .*`) },
      ]);
    }
  });

  describe('S4: a log that cannot be written is read by who only reads', () => {
    const refused = { type: 'failed', at: 'append', code: 'LOG_READONLY', message: expect.stringContaining('log.db') };

    /** What a reader without rights makes of the folder as it is left by `writer`. */
    async function readLocked(path: string, hang: boolean, missing: string[] = []): Promise<ReaderChildMessage[]> {
      const folder = dirname(path);
      await mkdir(folder);
      const module = (name: string) => new URL(`./testing/${name}.ts`, import.meta.url);
      const args = [path, 't', 'p', '2', '3', '10', ...(hang ? ['hang'] : [])];
      const writer = new Child<AppenderChildMessage>(module('appender-child'), args);
      if (hang) await vi.waitUntil(() => writer.messages.length === 2, 30_000);
      if (hang) await writer.kill();
      else await writer.exit();
      for (const name of missing) await rm(join(folder, name));
      for (const name of await readdir(folder)) await chmod(join(folder, name), 0o444);
      await chmod(folder, 0o555);
      onTestFinished(() => chmod(folder, 0o755));
      const reader = new Child<ReaderChildMessage>(module('reader-child'), [path, 't'], NOBODY);
      await reader.exit();
      expect(reader.complaints).toBe('');
      return reader.messages;
    }

    async function place(name: string): Promise<string> {
      const folder = await temporaryFolder();
      await chmod(folder, 0o755);
      return join(folder, name, 'log.db');
    }

    it('as it was closed, whatever characters its path has', async () => {
      expect(await readLocked(await place('a b%20?c#d'), false)).toEqual([{ type: 'read', records: 6 }, refused]);
    });

    it('with what its last writer left in the write-ahead log', async () => {
      expect(await readLocked(await place('left'), true)).toEqual([{ type: 'read', records: 6 }, refused]);
    });

    it('but for what cannot be read without writing, which is told', async () => {
      const message = expect.stringMatching(/was not closed .* copy its folder/);
      expect(await readLocked(await place('half'), true, ['log.db-shm'])).toEqual([
        { type: 'failed', at: 'open', code: 'LOG_READONLY', message },
      ]);
    });
  });

  it('S4: a directory in place of the file, and a file in place of the folder, are LOG_IO', async () => {
    const folder = await temporaryFolder();
    const directory = SqliteEventLog.open({ path: folder });
    await expect(directory).rejects.toMatchObject({
      code: 'LOG_IO',
      message: expect.stringMatching(`${folder} is a directory`),
    });
    await writeFile(join(folder, 'file'), '');
    const below = SqliteEventLog.open({ path: join(folder, 'file', 'log.db') });
    await expect(below).rejects.toMatchObject({
      name: 'LogError',
      code: 'LOG_IO',
      message: expect.stringContaining('file'),
    });
  });

  it('S4: a foreign file is LOG_CORRUPT and stays as it is', async () => {
    const folder = await temporaryFolder();
    const text = join(folder, 'text');
    await writeFile(text, 'this is a letter, not a database\n'.repeat(100));
    const before = await readFile(text);
    await expect(SqliteEventLog.open({ path: text })).rejects.toMatchObject({ code: 'LOG_CORRUPT' });
    expect(await readFile(text)).toEqual(before);

    const foreign = join(folder, 'foreign.db');
    const connection = new Database(foreign);
    connection.exec('CREATE TABLE accounts (id INTEGER)');
    connection.close();
    const opening = SqliteEventLog.open({ path: foreign });
    await expect(opening).rejects.toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringContaining('another program'),
    });

    const newer = join(folder, 'newer.db');
    await (await SqliteEventLog.open({ path: newer })).close();
    const second = new Database(newer);
    second.exec('PRAGMA user_version = 99');
    second.close();
    const message = expect.stringContaining('format 99');
    await expect(SqliteEventLog.open({ path: newer })).rejects.toMatchObject({ code: 'LOG_CORRUPT', message });
  });

  it('S4: a damaged file is LOG_CORRUPT when the damage is met', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await SqliteEventLog.open({ path });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    for (let n = 0; n < 20; n++) await log.append(hundred('x'.repeat(500)));
    await log.close();
    const bytes = await readFile(path);
    await writeFile(
      `${path}.damaged`,
      Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 0x5a)]),
    );
    const reading = SqliteEventLog.open({ path: `${path}.damaged` }).then((damaged) => readAll(damaged, 't'));
    await expect(reading).rejects.toMatchObject({ name: 'LogError', code: 'LOG_CORRUPT' });
  });

  it('S4: a file locked by another writer is waited for, then LOG_BUSY', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const patient = await temporaryLog({ path });
    const impatient = await temporaryLog({ path, busyTimeoutMs: 100 });
    await patient.ensureTopics([{ name: 't', partitions: 1 }]);
    const locker = new Database(path);
    locker.exec('BEGIN IMMEDIATE');
    setTimeout(() => locker.exec('COMMIT'), 400);
    const waiting = patient.append([record('t', 'k', 'patient')]);
    const refused = impatient.append([record('t', 'k', 'impatient')]);
    await expect(refused).rejects.toMatchObject({ name: 'LogError', code: 'LOG_BUSY', retryable: true });
    await waiting;
    locker.close();
    expect((await readAll(patient, 't')).map(({ value }) => value)).toEqual(['patient']);
  });

  it('S4: a checkpoint past the end of the log is told, not waited for in silence', async () => {
    const log = await temporaryLog();
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    const consumer = await new Consumer(new Map([[0, 7]])).start(log, 'g', 't');
    await expect.poll(() => consumer.errors.length).toBeGreaterThan(0);
    expect(consumer.errors[0]?.error).toMatchObject({
      code: 'LOG_CORRUPT',
      message: expect.stringContaining('7 of t/0'),
    });
    await consumer.stop();
  });
});
