import type { EntitySchema, MigrationInterface, ValueTransformer } from 'typeorm';
import { columnType, type Column, type Dialect, type Migration, type ReadTable } from './read-table.ts';

/**
 * PostgreSQL has no place for U+0000 in a text. A model may well write one, and a projection must not stop at it; the
 * log keeps what was written.
 */
const WITHOUT_NUL: ValueTransformer = {
  to: (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\u{fffd}') : value),
  from: (value: unknown) => value,
};

/** The table as TypeORM knows it. `Schema` is handed in, since TypeORM is loaded only where there are read models. */
export function entityOf(table: ReadTable, Schema: typeof EntitySchema, dialect: Dialect): EntitySchema {
  const options =
    (primary: boolean) =>
    ([name, column]: [string, Column]) => [
      name,
      {
        type: column.type === 'simple-json' ? column.type : columnType(column, dialect),
        primary,
        nullable: !primary,
        ...(dialect === 'postgres' && isText(column) ? { transformer: WITHOUT_NUL } : {}),
      },
    ];
  return new Schema({
    name: table.name,
    tableName: table.name,
    columns: Object.fromEntries([
      ...Object.entries(table.key).map(options(true)),
      ...Object.entries(table.columns).map(options(false)),
    ]) as EntitySchema['options']['columns'],
  });
}

export function migrationClass({ name, up }: Migration): new () => MigrationInterface {
  return class {
    readonly name = name;
    readonly up = up;
    async down(): Promise<void> {
      throw new Error('read models are not migrated back: delete them and rebuild');
    }
  };
}

function isText({ type }: Column): boolean {
  return type === 'text' || type === 'simple-json';
}
