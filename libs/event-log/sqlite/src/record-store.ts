import { LogError, partitionForKey, type AppendRecord, type LogRecord, type Position } from '@whale/event-log';
import type { Clock } from '@whale/kernel';
import type { LogDatabase } from './database.ts';
import type { PartitionRef, TopicCatalogue } from './topics.ts';

/** Where a fetch stops even if fewer records than asked were read: keeps one fetch to a few ms with values of 1 MB. */
const FETCH_BYTES = 4 << 20;
const FIRST_CHUNK = 8;

/** Head (the next offset) by partition id. */
export type Heads = ReadonlyMap<number, number>;

interface Row {
  offset: number;
  timestamp: number;
  key: string | Uint8Array;
  headers: string;
  value: string | Uint8Array;
}

/** The records of the file. Synchronous; the caller decides on transactions and on retrying. */
export class RecordStore {
  readonly #database: LogDatabase;
  readonly #topics: TopicCatalogue;
  readonly #clock: Clock;

  constructor(database: LogDatabase, topics: TopicCatalogue, clock: Clock) {
    this.#database = database;
    this.#topics = topics;
    this.#clock = clock;
  }

  /** To be called inside a transaction. Returns the new heads. Throws `LOG_UNKNOWN_TOPIC` before it writes anything. */
  insert(records: readonly AppendRecord[]): Heads {
    const targets = records.map(({ topic, key }) => {
      const partitions = this.#topics.partitions(topic);
      return partitions[partitionForKey(key, partitions.length)] as PartitionRef;
    });
    const timestamp = Math.trunc(this.#clock.now());
    const heads = new Map<number, number>();
    records.forEach((record, index) => {
      const { id } = targets[index] as PartitionRef;
      const offset = heads.get(id) ?? this.head(id);
      this.#database.run(
        'INSERT INTO records (partition_id, "offset", timestamp, key, headers, value) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        offset,
        timestamp,
        toColumn(record.key),
        JSON.stringify(record.headers),
        toColumn(record.value),
      );
      heads.set(id, offset + 1);
    });
    for (const [id, head] of heads) {
      this.#database.run('UPDATE partitions SET next_offset = ? WHERE id = ?', head, id);
    }
    return heads;
  }

  /** At most `limit` records with `from <= offset < to`; fewer when they are large, none only when there are none. */
  fetch(partition: PartitionRef, from: number, to: number, limit: number): LogRecord[] {
    const records: LogRecord[] = [];
    let bytes = 0;
    let next = from;
    for (let chunk = FIRST_CHUNK; records.length < limit && bytes < FETCH_BYTES;) {
      const asked = Math.min(chunk, limit - records.length);
      const rows = this.#database.rows<Row>(
        'SELECT "offset", timestamp, key, headers, value FROM records ' +
          'WHERE partition_id = ? AND "offset" >= ? AND "offset" < ? ORDER BY "offset" LIMIT ?',
        partition.id,
        next,
        to,
        asked,
      );
      for (const row of rows) {
        records.push(toRecord(partition, row));
        bytes += row.value.length + row.headers.length;
        next = row.offset + 1;
      }
      if (rows.length < asked) break;
      chunk = Math.max(1, Math.floor(((FETCH_BYTES - bytes) * records.length) / bytes));
    }
    return records;
  }

  head(partitionId: number): number {
    const row = this.#database.row<{ next: number }>(
      'SELECT next_offset AS next FROM partitions WHERE id = ?',
      partitionId,
    );
    if (row === undefined)
      throw new LogError('LOG_CORRUPT', `partition ${partitionId} is gone from ${this.#database.realPath}`);
    return row.next;
  }

  allHeads(): Heads {
    const rows = this.#database.rows<{ id: number; next: number }>('SELECT id, next_offset AS next FROM partitions');
    return new Map(rows.map(({ id, next }) => [id, next]));
  }

  positions(topics: readonly string[]): Position[] {
    const partitions = topics.flatMap((topic) => this.#topics.partitions(topic));
    const heads = this.allHeads();
    return partitions.map(({ id, topic, partition }) => ({ topic, partition, offset: heads.get(id) ?? 0 }));
  }
}

function toColumn(text: string): string | Uint8Array {
  return text.includes('\0') ? Buffer.from(text) : text;
}

function toText(column: string | Uint8Array): string {
  return typeof column === 'string' ? column : Buffer.from(column).toString();
}

function toRecord({ topic, partition }: PartitionRef, row: Row): LogRecord {
  return {
    topic,
    partition,
    offset: row.offset,
    timestamp: row.timestamp,
    key: toText(row.key),
    headers: JSON.parse(row.headers) as Record<string, string>,
    value: toText(row.value),
  };
}
