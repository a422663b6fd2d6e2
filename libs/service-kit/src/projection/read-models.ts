import type { DataSource, EntityManager } from 'typeorm';
import { StoreError } from '../store/errors.ts';
import type { PostgresDatabase } from '../store/postgres-database.ts';
import { CHECKPOINTS, checkpointMigration } from './checkpoints.ts';
import { Fifo } from './fifo.ts';
import { PostgresPlace } from './postgres-place.ts';
import type { Projection } from './projection.ts';
import type { ReadPlace } from './read-place.ts';
import type { Migration, ReadTable } from './read-table.ts';
import { SqlitePlace } from './sqlite-place.ts';

export type ReadModelOptions = {
  /** Before the name of each table. */
  prefix?: string;
} & (
  | {
      /** The SQLite file. Made when missing, with its folder. */
      path: string;
    }
  | {
      /** One that is shared with others and stays open, or the url of one to be opened. */
      database: PostgresDatabase | string;
      /** Made when missing (`whale_read`). */
      schema?: string;
    }
);

/**
 * The read models of a platform, in one SQLite file or one PostgreSQL schema that any client can query. Tables join as
 * services start, each with its migrations.
 */
export class ReadModels {
  readonly prefix: string;
  readonly #place: ReadPlace;
  readonly #queue = new Fifo();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #tables = new Map<string, ReadTable>([[CHECKPOINTS.name, CHECKPOINTS]]);
  readonly #migrations = new Map<string, Migration>([[checkpointMigration.name, checkpointMigration]]);
  #source: DataSource | null = null;
  #lost: StoreError | null = null;

  constructor(options: ReadModelOptions) {
    this.prefix = options.prefix ?? '';
    this.#place =
      'path' in options
        ? new SqlitePlace(options.path)
        : new PostgresPlace(options.database, options.schema ?? 'whale_read');
  }

  /** Why they are of no use any more: tables were dropped under who fills them. Null as a rule, and once closed. */
  get lost(): StoreError | null {
    return this.#lost;
  }

  /** True when such read models were made before, by whatever process; makes none. */
  exists(): Promise<boolean> {
    return this.#queue.run(() => this.#place.exists(this.prefix));
  }

  /** Adds tables and brings them to their present shape. Throws EnvironmentError when the place cannot be used. */
  register(projections: readonly Projection[]): Promise<void> {
    return this.#queue.run(async () => {
      for (const { table, migrations } of projections) {
        this.#tables.set(table.name, table);
        for (const migration of migrations) this.#migrations.set(migration.name, migration);
      }
      if (this.#place.serial) await this.#release();
      this.#source = await this.#place.open({
        tables: [...this.#tables.values()],
        migrations: [...this.#migrations.values()],
        prefix: this.prefix,
      });
    });
  }

  /**
   * Runs `work` in one transaction; on SQLite after those that came before. Throws StoreError when the database fails,
   * or what `work` throws.
   */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    if (this.#place.serial) return this.#queue.run(() => this.#place.transaction(this.#opened(), work));
    const running = this.#whileThere(() => this.#place.transaction(this.#opened(), work));
    this.#underWay.add(running);
    const over = () => this.#underWay.delete(running);
    running.then(over, over);
    return running;
  }

  /** SQL that would bring the tables from the migrated to the declared shape: none, unless a migration is missing. */
  pendingChanges(): Promise<readonly string[]> {
    return this.#queue.run(async () => {
      const { upQueries } = await this.#opened().driver.createSchemaBuilder().log();
      return upQueries.map(({ query }) => query);
    });
  }

  /** A table as SQL names it in `manager.query`: quoted, with prefix and schema. */
  sqlName(table: string): string {
    return this.#place.sqlName(this.prefix + table);
  }

  /** Drops all tables of this prefix that were registered. */
  drop(): Promise<void> {
    return this.#queue.run(async () => {
      for (const name of [...this.#tables.keys(), 'migrations']) {
        await this.#opened().query(`DROP TABLE IF EXISTS ${this.sqlName(name)}`);
      }
      await this.#release();
    });
  }

  close(): Promise<void> {
    return this.#queue.run(() => this.#release());
  }

  async #whileThere<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lost) throw this.#lost;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'STORE_GONE') throw error;
      const message = `${error.message}. Start this process anew: the read models are made again from the log`;
      this.#lost ??= new StoreError('STORE_GONE', message, { cause: error });
      throw this.#lost;
    }
  }

  #opened(): DataSource {
    if (!this.#source) throw new Error('no table of the read models is registered');
    return this.#source;
  }

  async #release(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#place.release(this.#source);
    this.#source = null;
    this.#lost = null;
  }
}
