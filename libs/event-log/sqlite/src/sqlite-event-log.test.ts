import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '@whale/kernel';
import { collect, Consumer, readAll, record } from '@whale/event-log-testing';
import { temporaryFolder, temporaryLog } from './testing/temporary.ts';

describe('SqliteEventLog', () => {
  it('S3: offsets are dense from 0, also after records were deleted by hand', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    for (const value of ['0', '1', '2']) await log.append([record('t', 'k', value)]);
    const connection = new Database(path);
    connection.exec('DELETE FROM records');
    connection.close();
    await log.append([record('t', 'k', '3')]);
    expect((await readAll(log, 't')).map(({ offset, value }) => [offset, value])).toEqual([[3, '3']]);
    expect(await log.heads(['t'])).toEqual([{ topic: 't', partition: 0, offset: 4 }]);
  });

  it('S3: a failed append takes no offset', async () => {
    const log = await temporaryLog();
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await expect(log.append([record('t', 'k', '0'), record('nowhere', 'k', '0')])).rejects.toThrow('nowhere');
    await log.append([record('t', 'k', '1')]);
    expect((await readAll(log, 't')).map(({ offset }) => offset)).toEqual([0]);
  });

  it('S5: each change of owner raises the fencing token', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    const connection = new Database(path);
    const leases = () => connection.prepare('SELECT owner IS NOT NULL AS held, token FROM leases').all();
    for (const token of [1, 2, 3]) {
      const consumer = await new Consumer().start(log, 'g', 't');
      expect(leases()).toEqual([{ held: 1, token }]);
      await consumer.stop();
      expect(leases()).toEqual([{ held: 0, token }]);
    }
    expect(connection.prepare('SELECT * FROM members').all()).toEqual([]);
    connection.close();
  });

  it('S6: a lease that was taken away is noticed before the next batch', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    const consumer = await new Consumer().start(log, 'g', 't');
    const connection = new Database(path);
    connection.exec("UPDATE leases SET owner = 'somebody', token = token + 1");
    connection.close();
    await log.append([record('t', 'k', 'v')]);
    await expect.poll(() => consumer.values).toEqual(['v']);
    expect(consumer.revoked).toEqual([{ topic: 't', partition: 0 }]);
    // Somebody is no member, so the partition came back, with a checkpoint asked anew.
    expect(consumer.asked).toEqual([0, 0]);
    await consumer.stop();
  });

  it('stamps records with its clock', async () => {
    const clock = new ManualClock(1_234);
    const log = await temporaryLog({ clock });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    await log.append([record('t', 'k', 'v')]);
    expect((await readAll(log, 't'))[0]?.timestamp).toBe(1_234);
  });

  it('wakes the subscriptions of other connections of the process without polling', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path });
    const writer = await temporaryLog({ path });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    const consumer = await new Consumer().start(log, 'g', 't');
    await sleep(100);
    const delays: number[] = [];
    for (let n = 0; n < 20; n++) {
      const before = performance.now();
      await writer.append([record('t', 'k', `${n}`)]);
      while (consumer.records.length <= n) await sleep(1);
      delays.push(performance.now() - before);
    }
    expect(delays.sort((a, b) => a - b)[10]).toBeLessThan(25);
    await consumer.stop();
  });

  it('delivers values of 1 MB in batches of a few MB', async () => {
    const log = await temporaryLog();
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    for (let n = 0; n < 30; n++) await log.append([record('t', 'k', 'x'.repeat(1_000_000))]);
    const consumer = await new Consumer().start(log, 'g', 't');
    await expect.poll(() => consumer.records.length, { timeout: 10_000 }).toBe(30);
    expect(Math.max(...consumer.batches.map(({ records }) => records.length))).toBeLessThanOrEqual(8);
    expect(await collect(log.read({ topic: 't', partition: 0, from: 0 }))).toHaveLength(30);
    await consumer.stop();
  });

  it('leaves no member behind when it is closed while a subscription begins', async () => {
    const path = join(await temporaryFolder(), 'log.db');
    const log = await temporaryLog({ path });
    await log.ensureTopics([{ name: 't', partitions: 1 }]);
    const beginning = new Consumer().start(log, 'g', 't');
    const closing = log.close();
    await expect(beginning).rejects.toMatchObject({ code: 'LOG_CLOSED' });
    await closing;
    const connection = new Database(path);
    expect(connection.prepare('SELECT * FROM members').all()).toEqual([]);
    connection.close();
  });
});
