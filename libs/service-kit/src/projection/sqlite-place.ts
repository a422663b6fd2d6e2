import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { EnvironmentError } from '@whale/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { entityOf, migrationClass } from './entities.ts';
import type { ReadPlace, ReadShape } from './read-place.ts';
import { silentLogger } from './silent-logger.ts';

const MIGRATION_TRIES = 5;

/**
 * Read models in one SQLite file. TypeORM shares one QueryRunner on SQLite, on which two transactions at a time fail;
 * so everything of a process is serial.
 */
export class SqlitePlace implements ReadPlace {
  readonly serial = true;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async exists(prefix: string): Promise<boolean> {
    if (!existsSync(this.#path)) return false;
    try {
      const db = new Database(this.#path, { readonly: true });
      try {
        return db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').all(`${prefix}migrations`).length > 0;
      } finally {
        db.close();
      }
    } catch {
      // A damaged file is one that was made; `open` says what is wrong with it.
      return true;
    }
  }

  async open({ tables, migrations, prefix }: ReadShape): Promise<DataSource> {
    const { DataSource, EntitySchema } = await import('typeorm');
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      const source = new DataSource({
        type: 'better-sqlite3',
        database: this.#path,
        driver: Database,
        timeout: 10_000,
        enableWAL: true,
        entityPrefix: prefix,
        logger: silentLogger,
        entities: tables.map((table) => entityOf(table, EntitySchema, 'sqlite')),
        migrations: migrations.map(migrationClass),
        migrationsTableName: `${prefix}migrations`,
        // The log is what lasts: after a power cut the last transactions are projected again.
        prepareDatabase: (db: InstanceType<typeof Database>) => void db.exec('PRAGMA synchronous = NORMAL'),
      });
      await source.initialize();
      await migrate(source);
      return source;
    } catch (cause) {
      throw new EnvironmentError(
        `the read models ${this.#path} cannot be opened: ${(cause as Error).message}. ` +
          'They may be deleted: whale rebuild makes them again from the log.',
        { cause },
      );
    }
  }

  transaction<T>(source: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return source.transaction(work);
  }

  sqlName(table: string): string {
    return `"${table}"`;
  }

  async release(source: DataSource | null): Promise<void> {
    await source?.destroy();
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
