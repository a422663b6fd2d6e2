export { startPostgres, type PostgresSettings, type RunningPostgres } from './start-postgres.ts';
export { testPostgres, type TestPostgres } from './test-postgres.ts';
