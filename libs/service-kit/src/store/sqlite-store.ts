import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import type { TopicPartition } from '@whale/event-log';
import { EnvironmentError } from '@whale/kernel';
import { StoreError } from './errors.ts';
import { isProcessAlive } from './owner.ts';
import { prepareFile } from './schema.ts';
import { markOf, outboxRecord, workItem } from './rows.ts';
import type {
  Mark,
  OutboxRecord,
  ServiceStore,
  StoredDocument,
  UnitOfWork,
  WorkClaim,
  WorkItem,
} from './service-store.ts';

const WRITE_DOCUMENT = `
  INSERT INTO document (key, value, revision) VALUES (?, ?, 1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = revision + 1
`;

type Row = Record<string, unknown>;

/**
 * ServiceStore on one SQLite file per service: raw, synchronous transactions in WAL mode.
 *
 * `synchronous = NORMAL`, unlike the log's FULL: a killed process loses nothing, and after a power cut the file is whole
 * but may lack its last transactions. Then the service goes on from an older checkpoint and decides the same again
 * under the same event ids, which every inbox knows. A sync for each commit would cost half of the service's time.
 */
export class SqliteServiceStore implements ServiceStore {
  /** A file that is deleted stays whole for those who have it open. */
  readonly lost = null;
  readonly place: string;
  readonly #db: InstanceType<typeof Database>;
  readonly #statements = new Map<string, ReturnType<InstanceType<typeof Database>['prepare']>>();

  constructor(path: string) {
    this.place = `the file ${path}`;
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#db = new Database(path, { timeout: 10_000 });
      this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      prepareFile(this.#db, path);
    } catch (cause) {
      if (cause instanceof EnvironmentError) throw cause;
      throw new EnvironmentError(
        `the service store ${path} cannot be opened: ${(cause as Error).message}. ` +
          'Choose a folder that you may write to with --data DIR.',
        { cause },
      );
    }
  }

  async follow(log: string): Promise<string> {
    const followed = () => this.#all('SELECT name FROM log', [])[0]?.['name'] as string | undefined;
    return (
      followed() ??
      this.#transaction(() => {
        this.#run('INSERT OR IGNORE INTO log (one, name) VALUES (1, ?)', [log]);
        return followed() as string;
      })
    );
  }

  async marks(): Promise<readonly Mark[]> {
    return this.#all('SELECT topic, partition, record_offset, hash FROM mark', []).map(markOf);
  }

  async checkpoint(partition: TopicPartition): Promise<number | undefined> {
    return this.#checkpoint(partition);
  }

  async seen(eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = this.#all('SELECT event_id FROM inbox WHERE event_id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(eventIds),
    ]);
    return new Set(rows.map((row) => row['event_id'] as string));
  }

  async documents(keys: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    return new Map([...(await this.read(keys))].map(([key, { value }]) => [key, value]));
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const rows = this.#all('SELECT * FROM document WHERE key IN (SELECT value FROM json_each(?))', [
      JSON.stringify(keys),
    ]);
    return new Map(
      rows.map((row) => [
        row['key'] as string,
        { value: JSON.parse(row['value'] as string) as unknown, revision: row['revision'] as number },
      ]),
    );
  }

  async documentsUnder(prefix: string): Promise<ReadonlyMap<string, unknown>> {
    // U+10FFFF sorts after every character that a key may hold.
    const rows = this.#all('SELECT key, value FROM document WHERE key >= ? AND key < ? ORDER BY key', [
      prefix,
      `${prefix}\u{10ffff}`,
    ]);
    return new Map(rows.map((row) => [row['key'] as string, JSON.parse(row['value'] as string) as unknown]));
  }

  async commit(unit: UnitOfWork): Promise<void> {
    this.#transaction(() => {
      for (const eventId of unit.inbox ?? []) {
        if (this.#run('INSERT OR IGNORE INTO inbox (event_id) VALUES (?)', [eventId]) === 0) {
          throw new StoreError('STORE_DUPLICATE', `event ${eventId} is already in the inbox`, { retryable: true });
        }
      }
      for (const [key, revision] of unit.basedOn ?? []) this.#checkRevision(key, revision);
      for (const [key, value] of unit.documents ?? []) {
        if (value === null) this.#run('DELETE FROM document WHERE key = ?', [key]);
        else this.#run(WRITE_DOCUMENT, [key, JSON.stringify(value)]);
      }
      for (const item of unit.work ?? []) {
        this.#run('INSERT OR IGNORE INTO work (id, kind, payload) VALUES (?, ?, ?)', [
          item.id,
          item.kind,
          JSON.stringify(item.payload),
        ]);
      }
      for (const { id, owner } of unit.held ?? []) {
        this.#owned(this.#all('SELECT 1 FROM work WHERE id = ? AND owner = ?', [id, owner]).length, id);
      }
      for (const { id, owner } of unit.finished ?? []) {
        this.#owned(this.#run('DELETE FROM work WHERE id = ? AND owner = ?', [id, owner]), id);
      }
      for (const { id, owner, notBefore, attempts } of unit.deferred ?? []) {
        const changed = this.#run(
          'UPDATE work SET owner = NULL, lease_until = NULL, not_before = ?, attempts = ? WHERE id = ? AND owner = ?',
          [notBefore, attempts, id, owner],
        );
        this.#owned(changed, id);
      }
      for (const record of unit.outbox ?? []) {
        this.#run('INSERT INTO outbox (topic, key, headers, value) VALUES (?, ?, ?, ?)', [
          record.topic,
          record.key,
          JSON.stringify(record.headers),
          record.value,
        ]);
      }
      if (unit.checkpoint) this.#moveCheckpoint(unit.checkpoint);
    });
  }

  async outbox(limit: number): Promise<readonly OutboxRecord[]> {
    return this.#all('SELECT * FROM outbox ORDER BY sequence LIMIT ?', [limit]).map(outboxRecord);
  }

  async outboxSent(sequences: readonly number[]): Promise<void> {
    this.#transaction(() =>
      this.#run('DELETE FROM outbox WHERE sequence IN (SELECT value FROM json_each(?))', [JSON.stringify(sequences)]),
    );
  }

  async claimWork({ owner, kinds, limit, now, leaseUntil }: WorkClaim): Promise<readonly WorkItem[]> {
    const kindList = JSON.stringify(kinds);
    // Looked at before it is locked: a writer's lock costs a sync, and most looks find nothing.
    const due = this.#all(
      `SELECT id, kind, payload, attempts, owner, lease_until FROM work
       WHERE kind IN (SELECT value FROM json_each(?)) AND not_before <= ?
         AND (owner IS NULL OR owner <> ? OR lease_until <= ?)
       ORDER BY place LIMIT ?`,
      [kindList, now, owner, now, limit + 256],
    )
      .filter(
        (row) =>
          row['owner'] === null || (row['lease_until'] as number) <= now || !isProcessAlive(row['owner'] as string),
      )
      .slice(0, limit);
    if (due.length === 0) return [];
    return this.#transaction(() =>
      due
        .filter(
          (row) =>
            this.#run('UPDATE work SET owner = ?, lease_until = ? WHERE id = ? AND owner IS ?', [
              owner,
              leaseUntil,
              row['id'],
              row['owner'],
            ]) === 1,
        )
        .map(workItem),
    );
  }

  async renewLeases(owner: string, ids: readonly string[], until: number): Promise<void> {
    this.#transaction(() =>
      this.#run('UPDATE work SET lease_until = ? WHERE owner = ? AND id IN (SELECT value FROM json_each(?))', [
        until,
        owner,
        JSON.stringify(ids),
      ]),
    );
  }

  async releaseLeases(owner: string): Promise<void> {
    this.#transaction(() => this.#run('UPDATE work SET owner = NULL, lease_until = NULL WHERE owner = ?', [owner]));
  }

  async workPending(): Promise<number> {
    return this.#all('SELECT count(*) AS n FROM work', [])[0]?.['n'] as number;
  }

  async outboxPending(): Promise<number> {
    return this.#all('SELECT count(*) AS n FROM outbox', [])[0]?.['n'] as number;
  }

  async close(): Promise<void> {
    this.#statements.clear();
    if (this.#db.open) this.#db.close();
  }

  #checkRevision(key: string, revision: number): void {
    const present = this.#all('SELECT revision FROM document WHERE key = ?', [key])[0]?.['revision'] ?? 0;
    if (present === revision) return;
    throw new StoreError('STORE_STALE_DOCUMENT', `document ${key} is at ${String(present)}, not at ${revision}`, {
      retryable: true,
    });
  }

  #checkpoint({ topic, partition }: TopicPartition): number | undefined {
    const row = this.#all('SELECT next_offset FROM checkpoint WHERE topic = ? AND partition = ?', [
      topic,
      partition,
    ])[0];
    return row?.['next_offset'] as number | undefined;
  }

  #moveCheckpoint({ from, to, mark }: NonNullable<UnitOfWork['checkpoint']>): void {
    const present = this.#checkpoint(to);
    if (present !== from) {
      throw new StoreError(
        'STORE_STALE_CONSUMER',
        `the checkpoint of ${to.topic}/${to.partition} is ${present}, not ${from}: another process has gone on`,
        { retryable: true },
      );
    }
    this.#run('INSERT OR REPLACE INTO checkpoint (topic, partition, next_offset) VALUES (?, ?, ?)', [
      to.topic,
      to.partition,
      to.offset,
    ]);
    if (!mark) return;
    this.#run('INSERT OR REPLACE INTO mark (topic, partition, record_offset, hash) VALUES (?, ?, ?, ?)', [
      mark.topic,
      mark.partition,
      mark.offset,
      mark.hash,
    ]);
  }

  #owned(rows: number, id: string): void {
    if (rows === 1) return;
    throw new StoreError('STORE_STALE_CONSUMER', `the lease of work item ${id} was lost`);
  }

  #statement(sql: string) {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #all(sql: string, parameters: readonly unknown[]): Row[] {
    return this.#guarded(() => this.#statement(sql).all(...(parameters as [object])) as Row[]);
  }

  #run(sql: string, parameters: readonly unknown[]): number {
    return this.#statement(sql).run(...(parameters as [object])).changes;
  }

  #transaction<T>(work: () => T): T {
    return this.#guarded(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#db.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      const code = (cause as { code?: string }).code ?? '';
      // JSON that is too deep or circular, or larger than SQLite's limit.
      if (cause instanceof RangeError || cause instanceof TypeError || code === 'SQLITE_TOOBIG') {
        throw new StoreError('STORE_UNSTORABLE', `service store: ${(cause as Error).message}`, { cause });
      }
      const full = code.startsWith('SQLITE_FULL');
      throw new StoreError(full ? 'STORE_FULL' : 'STORE_IO', `service store: ${(cause as Error).message}`, {
        cause,
        retryable: full || code.startsWith('SQLITE_BUSY'),
      });
    }
  }
}
