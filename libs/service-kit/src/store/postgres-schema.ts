import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs, DEFAULT_BACK_OFF } from '@whale/event-log';
import type { DataSource, EntitySchema, MigrationInterface, QueryRunner } from 'typeorm';
import { EnvironmentError, InputError } from '@whale/kernel';
import { StoreError } from './errors.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { driverErrorOf, sqlState, storeErrorOf } from './postgres-errors.ts';

/** What goes away by itself (a lock, a time limit, a server that starts anew) is waited for so long. */
const PATIENCE_MS = 15_000;
const READ_ONLY = '25006';
export const READ_ONLY_REMEDY =
  'Name the server that may be written to, and set default_transaction_read_only to off for this database and user.';

type MigrationClass = new () => MigrationInterface;

export interface MigratedSchema {
  schema: string;
  migrations: readonly MigrationClass[];
  /** The table that remembers what was migrated. */
  migrationsTableName: string;
  entities?: EntitySchema[];
  entityPrefix?: string;
}

export interface Migrated {
  source: DataSource;
  executed: readonly string[];
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
 * who start together wait for each other; what goes away by itself is waited for a while. The data source is one to work
 * with. Throws EnvironmentError when the schema cannot be made.
 */
export async function migrateSchema(database: PostgresDatabase, options: MigratedSchema): Promise<Migrated> {
  const { schema } = options;
  checkSchemaName(schema);
  const until = performance.now() + PATIENCE_MS;
  for (let failures = 0; ; failures++) {
    try {
      return await migrate(database, options);
    } catch (cause) {
      const driverError = driverErrorOf(cause);
      if (driverError === undefined && !(cause instanceof StoreError)) throw cause;
      const state = sqlState(driverError ?? cause);
      const { message, retryable } = storeErrorOf(driverError ?? cause, database.place);
      if (retryable && state !== READ_ONLY && performance.now() < until) {
        await sleep(backOffMs(failures, DEFAULT_BACK_OFF));
        continue;
      }
      throw new EnvironmentError(`the schema ${schema} cannot be used: ${message}.${remedyOf(state)}`, {
        cause,
        retryable,
      });
    }
  }
}

async function migrate(
  database: PostgresDatabase,
  { schema, migrations, ...options }: MigratedSchema,
): Promise<Migrated> {
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
}

function remedyOf(state: string | undefined): string {
  if (state === '42501') return ' GRANT CREATE ON DATABASE to the user, or make the schema with the user as its owner.';
  if (state === READ_ONLY) return ` ${READ_ONLY_REMEDY}`;
  return '';
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
