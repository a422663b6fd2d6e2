import { testPostgres } from '@whale/test-postgres';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../service.ts';
import { echoService } from '../support/echo-service.ts';
import { temporaryPlatform } from '../support/temporary-platform.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresServiceStore } from './postgres-store.ts';

const postgres = await testPostgres('a schema that is dropped');
afterAll(() => postgres?.close());

describe.skipIf(!postgres)('a service whose schema is dropped', () => {
  test('says so once, is lost for liveness and not ready', async () => {
    const database = await PostgresDatabase.open((await postgres?.database()) as string);
    onTestFinished(() => database.close());
    const platform = await temporaryPlatform();
    const work = { kind: 'echo', concurrency: 1, run: async () => ({ events: [] }), failed: () => [] };
    const service = await startService(
      echoService(undefined, [work]),
      { ...platform, store: () => new PostgresServiceStore(database, 'whale_proposer') },
      {},
    );
    onTestFinished(() => service.stop());
    await service.checkStore();
    expect(service.health().lost).toBeNull();
    await database.ask({ text: 'DROP SCHEMA whale_proposer CASCADE' });
    const gone = /schema whale_proposer dropped\? Start this process anew/;
    await vi.waitFor(() => expect(service.health().lost).toMatch(gone), 5_000);
    await expect(service.checkStore()).rejects.toThrow(gone);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(platform.troubles.filter((line) => line.includes('taking work'))).toHaveLength(1);
  });
});
