import type { QueryRunner } from 'typeorm';

/** Column types that SQLite and PostgreSQL share; each is told to TypeORM, since nothing here emits decorator metadata. */
export interface Column<Value = unknown> {
  readonly type: 'text' | 'integer' | 'double precision' | 'boolean' | 'simple-json';
  /** Only for the compiler: what a row holds there. */
  readonly value?: Value;
}

export const text: Column<string> = { type: 'text' };
export const integer: Column<number> = { type: 'integer' };
export const real: Column<number> = { type: 'double precision' };
export const flag: Column<boolean> = { type: 'boolean' };
/** JSON text. */
export const json: Column<unknown> = { type: 'simple-json' };

export type Columns = Readonly<Record<string, Column>>;

/**
 * A table of a read model, for SQL clients: words of DESIGN §2, nothing of the transport. Each row belongs to one
 * experiment. Columns outside the key may be null, since events of several topics fill a row in any order.
 */
export interface ReadTable<Key extends Columns = Columns, Rest extends Columns = Columns> {
  readonly name: string;
  readonly key: Key & { readonly experiment_id: Column<string> };
  readonly columns: Rest;
}

type Values<Of extends Columns> = { [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never };
type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null };

/** Sets some columns of one row, which is made when it is not there. */
export interface Change<Key extends Columns = Columns, Rest extends Columns = Columns> {
  readonly key: Values<Key & { experiment_id: Column<string> }>;
  readonly set: Partial<Nullable<Values<Rest>>>;
}

export function readTable<Key extends Columns, Rest extends Columns>(
  table: ReadTable<Key, Rest>,
): ReadTable<Key, Rest> {
  return table;
}

/** One step of a table's history. A published migration never changes; a new shape is a new migration. */
export interface Migration {
  /** Ends in 13 digits, ms since epoch: TypeORM orders by them. */
  readonly name: string;
  up(runner: QueryRunner): Promise<void>;
}

export type Dialect = 'sqlite' | 'postgres';

/** Integers are times in ms and counts of tokens too: on PostgreSQL, unlike on SQLite, they need to be told so. */
export function columnType(
  { type }: Column,
  dialect: Dialect,
): 'text' | 'integer' | 'bigint' | 'double precision' | 'boolean' {
  if (type === 'simple-json') return 'text';
  return type === 'integer' && dialect === 'postgres' ? 'bigint' : type;
}

/** The first migration of a table; its columns are written out, so that they do not change with the table. */
export function createTable(name: string, table: string, key: Columns, columns: Columns): Migration {
  return {
    name,
    up: async (runner) => {
      const { Table } = await import('typeorm');
      await runner.createTable(
        new Table({
          name: prefixed(runner, table),
          columns: [...tableColumns(runner, key, true), ...tableColumns(runner, columns, false)],
        }),
      );
    },
  };
}

/** A later migration: more columns, which are null in the rows that are there. */
export function addColumns(name: string, table: string, columns: Columns): Migration {
  return {
    name,
    up: async (runner) => {
      const { TableColumn } = await import('typeorm');
      const added = tableColumns(runner, columns, false).map((column) => new TableColumn(column));
      await runner.addColumns(prefixed(runner, table), added);
    },
  };
}

function tableColumns(runner: QueryRunner, columns: Columns, isPrimary: boolean) {
  const dialect = runner.connection.options.type === 'postgres' ? 'postgres' : 'sqlite';
  return Object.entries(columns).map(([name, column]) => ({
    name,
    type: columnType(column, dialect),
    isPrimary,
    isNullable: !isPrimary,
  }));
}

/** The table's name in the data source of `runner`: shadow tables bear a prefix. */
export function prefixed(runner: QueryRunner, table: string): string {
  return `${runner.connection.options.entityPrefix ?? ''}${table}`;
}
