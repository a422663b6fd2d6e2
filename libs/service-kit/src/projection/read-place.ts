import type { DataSource, EntityManager } from 'typeorm';
import type { Migration, ReadTable } from './read-table.ts';

export interface ReadShape {
  tables: readonly ReadTable[];
  migrations: readonly Migration[];
  /** Before the name of each table, also of that which remembers the migrations. */
  prefix: string;
}

/** A database that read models can stand in. */
export interface ReadPlace {
  /** True when transactions of one process must come one after the other. */
  readonly serial: boolean;
  /** True when read models with this prefix were made there; makes none. */
  exists(prefix: string): Promise<boolean>;
  /** Brings the tables to their present shape. Throws EnvironmentError when the place cannot be used. */
  open(shape: ReadShape): Promise<DataSource>;
  transaction<T>(source: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T>;
  /** A table as SQL names it, quoted. */
  sqlName(table: string): string;
  /** Gives back what `open` took. */
  release(source: DataSource | null): Promise<void>;
}
