import { createHash } from 'node:crypto';
import type { DataSource, EntitySchema, MigrationInterface, QueryRunner } from 'typeorm';
import { EnvironmentError, InputError } from '@whale/kernel';
import { StoreError } from './errors.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { driverErrorOf, sqlState, storeErrorOf } from './postgres-errors.ts';

type MigrationClass = new () => MigrationInterface;

export interface MigratedSchema {
  schema: string;
  migrations: readonly MigrationClass[];
  /** The table that remembers what was migrated. */
  migrationsTableName: string;
  entities?: EntitySchema[];
  entityPrefix?: string;
}

/** Lower case, so that it reads the same quoted or not; short, so that names made from it are unique. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,47}$/;

export function checkSchemaName(schema: string): void {
  if (SCHEMA_NAME.test(schema)) return;
  throw new InputError(
    `the schema ${JSON.stringify(schema)} is not valid: expected a small letter or _, then up to 47 small letters, ` +
      'digits or _',
  );
}

/**
 * Runs the migrations of a schema that have not run yet, all in one transaction, and says which the schema knows. Those
 * who start together wait for each other. The data source is one to work with. Throws EnvironmentError when the schema cannot be made.
 */
export async function migrateSchema(
  database: PostgresDatabase,
  { schema, migrations, ...options }: MigratedSchema,
): Promise<{ source: DataSource; executed: readonly string[] }> {
  checkSchemaName(schema);
  try {
    const { MigrationExecutor } = await import('typeorm');
    const source = await database.dataSource({ ...options, schema, migrations: [...migrations] });
    const runner = source.createQueryRunner();
    try {
      await runner.startTransaction();
      await runner.query('SELECT pg_advisory_xact_lock($1)', [lockId('migrations', schema)]);
      await makeSchema(runner, schema);
      const executor = new MigrationExecutor(source, runner);
      await executor.executePendingMigrations();
      const executed = await executor.getExecutedMigrations();
      await runner.commitTransaction();
      return { source, executed: executed.map(({ name }) => name) };
    } catch (error) {
      await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  } catch (cause) {
    const driverError = driverErrorOf(cause);
    if (driverError === undefined && !(cause instanceof StoreError)) throw cause;
    const { message, retryable } = storeErrorOf(driverError ?? cause, database.place);
    throw new EnvironmentError(
      `the schema ${schema} cannot be used: ${message}.` +
        (sqlState(driverError ?? cause) === '42501'
          ? ' GRANT CREATE ON DATABASE to the user, or make the schema with the user as its owner.'
          : ''),
      { cause, retryable },
    );
  }
}

/** Asked for first: a user that may not make schemas may still use one that is there. */
async function makeSchema(runner: QueryRunner, schema: string): Promise<void> {
  const found: unknown[] = await runner.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (found.length === 0) await runner.query(`CREATE SCHEMA "${schema}"`);
}

/** A number for an advisory lock, by what it guards. Decimal text, since it has 64 bits. */
export function lockId(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest().readBigInt64BE().toString();
}
