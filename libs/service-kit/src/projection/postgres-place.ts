import type { DataSource, EntityManager } from 'typeorm';
import { PostgresDatabase } from '../store/postgres-database.ts';
import { driverErrorOf, storeErrorOf } from '../store/postgres-errors.ts';
import { checkSchemaName, migrateSchema } from '../store/postgres-schema.ts';
import { entityOf, migrationClass } from './entities.ts';
import type { ReadPlace, ReadShape } from './read-place.ts';

/**
 * Read models in one schema of a PostgreSQL database. Transactions go on side by side, also those of several projectors:
 * whoever moves a checkpoint first holds its row, and whoever comes second does not find it where it was.
 */
export class PostgresPlace implements ReadPlace {
  readonly serial = false;
  readonly #schema: string;
  readonly #given: PostgresDatabase | string;
  #database: PostgresDatabase | null = null;

  /** A database that is given stays open; for a url one is opened. */
  constructor(database: PostgresDatabase | string, schema: string) {
    checkSchemaName(schema);
    this.#schema = schema;
    this.#given = database;
  }

  async exists(prefix: string): Promise<boolean> {
    const database = await this.#opened();
    const [row] = await database.ask({
      text: 'SELECT to_regclass($1) AS found',
      values: [this.sqlName(`${prefix}migrations`)],
    });
    return row?.['found'] !== null;
  }

  async open({ tables, migrations, prefix }: ReadShape): Promise<DataSource> {
    const { EntitySchema } = await import('typeorm');
    const { source } = await migrateSchema(await this.#opened(), {
      schema: this.#schema,
      migrations: migrations.map(migrationClass),
      migrationsTableName: `${prefix}migrations`,
      entities: tables.map((table) => entityOf(table, EntitySchema, 'postgres')),
      entityPrefix: prefix,
    });
    return source;
  }

  async transaction<T>(source: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await source.transaction('READ COMMITTED', work);
    } catch (error) {
      const driverError = driverErrorOf(error);
      throw driverError === undefined ? error : storeErrorOf(driverError, (await this.#opened()).place);
    }
  }

  sqlName(table: string): string {
    return `"${this.#schema}"."${table}"`;
  }

  /** The data source itself holds nothing: its connections are the pool's. */
  async release(): Promise<void> {
    if (typeof this.#given !== 'string') return;
    await this.#database?.close();
    this.#database = null;
  }

  async #opened(): Promise<PostgresDatabase> {
    this.#database ??= typeof this.#given === 'string' ? await PostgresDatabase.open(this.#given) : this.#given;
    return this.#database;
  }
}
