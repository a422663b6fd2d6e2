import { copyFile, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { describe, expect, it, vi } from 'vitest';
import { rng } from '@whale/kernel';
import { Child, readAll } from '@whale/event-log-testing';
import { SqliteEventLog } from './sqlite-event-log.ts';
import type { AppenderChildMessage } from './testing/appender-child.ts';
import { temporaryFolder } from './testing/temporary.ts';

const TOPIC = 't';
const BATCH = 200;

function appender(path: string, ...args: (string | number)[]): Child<AppenderChildMessage> {
  return new Child(new URL('./testing/appender-child.ts', import.meta.url), [path, TOPIC, ...args.map(String)]);
}

/** How many records there are of each batch, by producer and batch number. */
async function batchSizes(path: string): Promise<Map<string, number>> {
  const log = await SqliteEventLog.open({ path });
  try {
    const sizes = new Map<string, number>();
    for (const { headers } of await readAll(log, TOPIC)) {
      const batch = `${headers['producer']}/${headers['batch']}`;
      sizes.set(batch, (sizes.get(batch) ?? 0) + 1);
    }
    return sizes;
  } finally {
    await log.close();
  }
}

function integrity(path: string): unknown {
  const connection = new Database(path);
  const rows = connection.prepare('PRAGMA integrity_check').all();
  connection.close();
  return rows;
}

describe('crashes', () => {
  it(
    'S2: a process killed in the middle of appends leaves each batch whole or absent',
    { timeout: 60_000 },
    async () => {
      const path = join(await temporaryFolder(), 'log.db');
      const random = rng('torn-writes');
      for (let kill = 0; kill < 8; kill++) {
        const child = appender(path, `p${kill}`, 1_000_000, BATCH, 3_000);
        await vi.waitFor(() => expect(child.messages.length).toBeGreaterThan(0), { timeout: 15_000, interval: 2 });
        await sleep(random.int(60));
        await child.kill();
        const sizes = await batchSizes(path);
        expect([...new Set(sizes.values())]).toEqual([BATCH]);
        for (const message of child.messages) {
          expect(message).toMatchObject({ type: 'appended' });
          if (message.type === 'appended') expect(sizes.get(`p${kill}/${message.batch}`)).toBe(BATCH);
        }
      }
      expect(integrity(path)).toEqual([{ integrity_check: 'ok' }]);
    },
  );

  it('S2: a cut or garbled end of the write-ahead log costs only whole batches that lie in it', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'log.db');
    const safe = appender(path, 'safe', 3, BATCH, 500);
    expect(await safe.exit()).toBe(0);
    const tail = appender(path, 'tail', 5, BATCH, 500, 'hang');
    await vi.waitFor(() => expect(tail.messages).toHaveLength(5), { timeout: 15_000 });
    await tail.kill();
    const wal = await readFile(`${path}-wal`);
    expect(wal.length).toBeGreaterThan(5 * BATCH * 500);

    const random = rng('garbled-wal');
    for (let round = 0; round < 12; round++) {
      const copy = join(folder, `copy-${round}.db`);
      await copyFile(path, copy);
      await writeFile(`${copy}-wal`, wal);
      const at = random.int(wal.length);
      if (round % 3 === 0) await truncate(`${copy}-wal`, at);
      else await writeFile(`${copy}-wal`, garbled(wal, at, round % 3 === 1 ? 16 : wal.length - at));
      const sizes = await batchSizes(copy);
      expect([0, 1, 2].map((batch) => sizes.get(`safe/${batch}`))).toEqual([BATCH, BATCH, BATCH]);
      expect([...new Set(sizes.values())]).toEqual([BATCH]);
      expect(integrity(copy)).toEqual([{ integrity_check: 'ok' }]);
    }
    await rm(`${path}-wal`);
    expect((await batchSizes(path)).size).toBe(3);
  });
});

function garbled(bytes: Buffer, at: number, length: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let index = at; index < Math.min(at + length, copy.length); index++)
    copy[index] = (copy[index] as number) ^ 0x5a;
  return copy;
}
