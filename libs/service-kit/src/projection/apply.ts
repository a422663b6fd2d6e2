import type { AnyEvent } from '@whale/contracts';
import type { EntityManager } from 'typeorm';
import type { Projection } from './projection.ts';

type Row = Record<string, unknown>;

/** Rows in one statement; SQLite allows 32,766 parameters. */
const ROWS_PER_STATEMENT = 200;

/**
 * Writes what events mean for the tables of `projections`. Applied again it changes nothing: a change names the row and
 * the columns it sets.
 */
export async function applyEvents(
  manager: EntityManager,
  projections: readonly Projection[],
  events: readonly AnyEvent[],
): Promise<void> {
  for (const projection of projections) {
    for (const { columns, rows } of statements(projection, events)) {
      const key = Object.keys(projection.table.key);
      const insert = manager.createQueryBuilder().insert().into(projection.table.name).values(rows);
      await (columns.length > 0 ? insert.orUpdate(columns, key) : insert.orIgnore()).updateEntity(false).execute();
    }
  }
}

/** Changes of one row are merged, rows that set the same columns share a statement. */
function statements({ table, consumes, project }: Projection, events: readonly AnyEvent[]) {
  const types = new Set(consumes.map((definition) => definition.type));
  const byKey = new Map<string, { key: Row; set: Row }>();
  for (const event of events) {
    if (!types.has(event.type)) continue;
    for (const { key, set } of project(event)) {
      const id = JSON.stringify(Object.keys(table.key).map((name) => (key as Row)[name]));
      const known = byKey.get(id);
      byKey.set(id, { key, set: { ...known?.set, ...set } });
    }
  }
  const byColumns = new Map<string, { columns: string[]; rows: Row[] }>();
  // In one order everywhere, so that two processes do not wait for each other's rows.
  for (const [, { key, set }] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const columns = Object.keys(set).sort();
    const group = byColumns.get(columns.join()) ?? { columns, rows: [] };
    byColumns.set(columns.join(), group);
    group.rows.push({ ...key, ...set });
  }
  return [...byColumns.values()].flatMap(({ columns, rows }) =>
    Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, i) => ({
      columns,
      rows: rows.slice(i * ROWS_PER_STATEMENT, (i + 1) * ROWS_PER_STATEMENT),
    })),
  );
}
