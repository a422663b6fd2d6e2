import type { Mark, OutboxRecord, WorkItem } from './service-store.ts';

type Row = Record<string, unknown>;

/** Rows of the outbox, of the work and of the marks, whose columns are the same in both stores. */
export function outboxRecord(row: Row): OutboxRecord {
  return {
    sequence: row['sequence'] as number,
    topic: row['topic'] as string,
    key: row['key'] as string,
    headers: JSON.parse(row['headers'] as string) as Record<string, string>,
    value: row['value'] as string,
  };
}

export function workItem(row: Row): WorkItem {
  return {
    id: row['id'] as string,
    kind: row['kind'] as string,
    payload: JSON.parse(row['payload'] as string) as unknown,
    attempts: row['attempts'] as number,
  };
}

export function markOf(row: Row): Mark {
  return {
    topic: row['topic'] as string,
    partition: row['partition'] as number,
    offset: row['record_offset'] as number,
    hash: row['hash'] as string,
  };
}
