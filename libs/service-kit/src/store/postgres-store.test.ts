import { testPostgres } from '@whale/test-postgres';
import { afterAll, describe } from 'vitest';
import { serviceStoreContract } from '../testing/index.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresServiceStore } from './postgres-store.ts';

const postgres = await testPostgres('the service stores on PostgreSQL');
afterAll(() => postgres?.close());

describe.skipIf(!postgres)('PostgreSQL', () => {
  serviceStoreContract('postgres', async () => {
    const database = await PostgresDatabase.open((await postgres?.database()) as string);
    let schema = 0;
    return {
      open: async () => new PostgresServiceStore(database, `whale_store_${schema}`),
      reset: async () => {
        schema++;
      },
      dispose: () => database.close(),
    };
  });
});
