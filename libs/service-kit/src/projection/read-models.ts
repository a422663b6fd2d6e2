import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { EnvironmentError } from '@whale/kernel';
import type { DataSource, EntityManager, EntitySchema } from 'typeorm';
import { CHECKPOINTS, checkpointMigration } from './checkpoints.ts';
import { Fifo } from './fifo.ts';
import type { Projection } from './projection.ts';
import type { Column, Migration, ReadTable } from './read-table.ts';

export interface ReadModelOptions {
  /** The SQLite file. Made when missing, with its folder. */
  path: string;
  /** Before the name of each table. */
  prefix?: string;
}

const MIGRATION_TRIES = 5;

/**
 * The read models of a data folder, in one SQLite file that any SQLite client can query. TypeORM shares one
 * QueryRunner on SQLite, on which two transactions at a time fail; so everything goes through one queue. Tables join
 * as services start, each with its migrations.
 */
export class ReadModels {
  readonly #options: Required<ReadModelOptions>;
  readonly #queue = new Fifo();
  readonly #tables = new Map<string, ReadTable>();
  readonly #migrations = new Map<string, Migration>([[checkpointMigration.name, checkpointMigration]]);
  #source: DataSource | null = null;

  constructor(options: ReadModelOptions) {
    this.#options = { prefix: '', ...options };
  }

  get prefix(): string {
    return this.#options.prefix;
  }

  /** Adds tables and brings them to their present shape. Throws EnvironmentError when the file cannot be used. */
  register(projections: readonly Projection[]): Promise<void> {
    return this.#queue.run(async () => {
      for (const { table, migrations } of projections) {
        this.#tables.set(table.name, table);
        for (const migration of migrations) this.#migrations.set(migration.name, migration);
      }
      await this.#close();
      this.#source = await this.#open();
    });
  }

  /** Runs `work` in one transaction, after those that came before. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#opened().transaction(work));
  }

  /** SQL that would bring the tables from the migrated to the declared shape: none, unless a migration is missing. */
  pendingChanges(): Promise<readonly string[]> {
    return this.#queue.run(async () => {
      const { upQueries } = await this.#opened().driver.createSchemaBuilder().log();
      return upQueries.map(({ query }) => query);
    });
  }

  /** Drops all tables of this prefix that were registered. */
  drop(): Promise<void> {
    return this.#queue.run(async () => {
      const runner = this.#opened().createQueryRunner();
      for (const name of [...this.#tables.keys(), CHECKPOINTS.name, 'migrations']) {
        await runner.dropTable(this.#options.prefix + name, true);
      }
      await this.#close();
    });
  }

  close(): Promise<void> {
    return this.#queue.run(() => this.#close());
  }

  #opened(): DataSource {
    if (!this.#source) throw new Error('no table of the read models is registered');
    return this.#source;
  }

  async #close(): Promise<void> {
    await this.#source?.destroy();
    this.#source = null;
  }

  async #open(): Promise<DataSource> {
    const { path, prefix } = this.#options;
    // TypeORM takes a while to load; a process without read models does not pay for it.
    const { DataSource, EntitySchema } = await import('typeorm');
    try {
      mkdirSync(dirname(path), { recursive: true });
      const source = new DataSource({
        type: 'better-sqlite3',
        database: path,
        driver: Database,
        timeout: 10_000,
        enableWAL: true,
        entityPrefix: prefix,
        entities: [...this.#tables.values(), CHECKPOINTS].map((table) => entityOf(table, EntitySchema)),
        migrations: [...this.#migrations.values()].map(migrationClass),
        migrationsTableName: `${prefix}migrations`,
        // The log is what lasts: after a power cut the last transactions are projected again.
        prepareDatabase: (db: InstanceType<typeof Database>) => void db.exec('PRAGMA synchronous = NORMAL'),
      });
      await source.initialize();
      await migrate(source);
      return source;
    } catch (cause) {
      throw new EnvironmentError(
        `the read models ${path} cannot be opened: ${(cause as Error).message}. ` +
          'They may be deleted: whale rebuild makes them again from the log.',
        { cause },
      );
    }
  }
}

/** Two processes that start together may both want to make a table: whoever comes second finds it made. */
async function migrate(source: DataSource): Promise<void> {
  for (let left = MIGRATION_TRIES; ; left--) {
    try {
      await source.runMigrations();
      return;
    } catch (error) {
      if (left <= 1) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function entityOf(table: ReadTable, Schema: typeof EntitySchema): EntitySchema {
  const options =
    (primary: boolean) =>
    ([name, { type }]: [string, Column]) => [name, { type, primary, nullable: !primary }];
  return new Schema({
    name: table.name,
    tableName: table.name,
    columns: Object.fromEntries([
      ...Object.entries(table.key).map(options(true)),
      ...Object.entries(table.columns).map(options(false)),
    ]) as EntitySchema['options']['columns'],
  });
}

function migrationClass({ name, up }: Migration) {
  return class {
    readonly name = name;
    readonly up = up;
    async down(): Promise<void> {
      throw new Error('read models are not migrated back: delete them and rebuild');
    }
  };
}
