import { join } from 'node:path';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { testPostgres } from '@whale/test-postgres';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startService, type Platform } from '../service.ts';
import { PostgresDatabase } from '../store/postgres-database.ts';
import { PostgresServiceStore } from '../store/postgres-store.ts';
import { ECHO_TOPIC, echoService, request } from '../support/echo-service.ts';
import { recordOf, recordsOn, temporaryPlatform, type TemporaryPlatform } from '../support/temporary-platform.ts';

const postgres = await testPostgres('one database for two logs');
afterAll(() => postgres?.close());

async function anotherLog({ folder }: TemporaryPlatform): Promise<SqliteEventLog> {
  const log = await SqliteEventLog.open({ path: join(folder, `${crypto.randomUUID()}.sqlite`) });
  onTestFinished(() => log.close());
  return log;
}

async function started(platform: Platform) {
  const service = await startService(echoService(), platform, {});
  onTestFinished(() => service.stop());
  return service;
}

/** Each request has a key of its own, so partitions differ. */
async function answered({ log }: Platform, ...reasons: string[]): Promise<void> {
  const before = (await recordsOn(log, ECHO_TOPIC)).length;
  await log.append(reasons.map((reason) => recordOf(request(reason, reason))));
  await vi.waitFor(async () => expect(await recordsOn(log, ECHO_TOPIC)).toHaveLength(before + reasons.length), 10_000);
}

const refused = (why: RegExp) => ({
  code: 'ENVIRONMENT',
  message: expect.stringMatching(new RegExp(`${why.source}.*One database serves one log`, 'u')) as string,
});

function theSame(name: string, platforms: () => Promise<TemporaryPlatform>): void {
  describe(name, () => {
    test('a log of another name is refused from the first start on, also while both are empty', async () => {
      const platform = await platforms();
      await started(platform);
      const other = { ...platform, log: await anotherLog(platform), logName: 'another log' };
      await expect(startService(echoService(), other, {})).rejects.toMatchObject(
        refused(/ follows a log of a test, not another log/),
      );
    });

    test('a log that was emptied, or filled anew, is refused; its own is followed on', async () => {
      const platform = await platforms();
      const first = await started(platform);
      await answered(platform, 'a', 'b');
      await first.stop();
      const log = await anotherLog(platform);
      const other = { ...platform, log };
      await expect(startService(echoService(), other, {})).rejects.toMatchObject(refused(/this log ends at 0/));
      await log.append(
        ['c', 'd'].map((reason) => ({ ...recordOf(request(reason, reason)), key: reason < 'd' ? 'a' : 'b' })),
      );
      await expect(startService(echoService(), other, {})).rejects.toMatchObject(refused(/has another record there/));
      await started(platform);
      await answered(platform, 'e');
    });

    test('T5: two logs of one name that begin together do not cross over: who comes second waits, with a line', async () => {
      const platform = await platforms();
      const troubles: string[] = [];
      const other = {
        ...platform,
        log: await anotherLog(platform),
        onTrouble: (_: string, message: string) => void troubles.push(message),
      };
      await started(platform);
      await started(other);
      await answered(platform, 'a');
      await other.log.append([
        { ...recordOf(request('b', 'b')), key: 'a' },
        { ...recordOf(request('c', 'c')), key: 'a' },
      ]);
      await vi.waitFor(() => expect(troubles.join()).toMatch(/follows another log than this one.*trying again/), 5_000);
      expect(await recordsOn(other.log, ECHO_TOPIC)).toEqual([]);
    });
  });
}

theSame('on files', () => temporaryPlatform());

describe.skipIf(!postgres)('PostgreSQL', () => {
  theSame('on PostgreSQL', async () => {
    const database = await PostgresDatabase.open((await postgres?.database()) as string);
    onTestFinished(() => database.close());
    return { ...(await temporaryPlatform()), store: () => new PostgresServiceStore(database, 'whale_proposer') };
  });

  test('a store from before there were marks takes the log that it is started with', async () => {
    const database = await PostgresDatabase.open((await postgres?.database()) as string);
    onTestFinished(() => database.close());
    const platform = {
      ...(await temporaryPlatform()),
      store: () => new PostgresServiceStore(database, 'whale_proposer'),
    };
    const first = await started(platform);
    await answered(platform, 'a');
    await first.stop();
    await database.ask({
      text: `
        ALTER TABLE whale_proposer.checkpoint DROP COLUMN record_offset, DROP COLUMN hash;
        DROP TABLE whale_proposer.log;
        DELETE FROM whale_proposer.migrations WHERE name LIKE 'AddLogMarks%'`,
    });
    const second = await started(platform);
    await answered(platform, 'b');
    await second.stop();
    const other = { ...platform, log: await anotherLog(platform) };
    await expect(startService(echoService(), other, {})).rejects.toMatchObject(refused(/this log ends at 0/));
  });
});
