import type { TopicPartition } from '@whale/event-log';
import { EnvironmentError } from '@whale/kernel';
import { StoreError } from './errors.ts';
import { isProcessAlive } from './owner.ts';
import { beginUnit, checkCommitted, commitStatement } from './postgres-commit.ts';
import type { PostgresDatabase, Row, Statement } from './postgres-database.ts';
import { storeErrorOf } from './postgres-errors.ts';
import { STORE_MIGRATIONS } from './postgres-migrations.ts';
import { checkSchemaName, migrateSchema } from './postgres-schema.ts';
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

/**
 * ServiceStore in one schema of a PostgreSQL database, shared by all processes of the service. A unit takes three round
 * trips: begin with the locks of its documents (postgres-commit.ts), one statement, commit.
 *
 * The sequence of the outbox is given out before a transaction is committed, so a lower number may become visible after
 * a higher one was sent; hence only what was read is ever deleted (D6). Units that build on one document hold its lock,
 * and their records come in order.
 *
 * Commits wait for the disk, unlike those of the SQLite store: a database that restarts while services go on must not
 * forget how far they have come.
 */
export class PostgresServiceStore implements ServiceStore {
  readonly #database: PostgresDatabase;
  readonly #schema: string;
  /** Next offsets that this process has seen: none ever goes back. By topic and partition. */
  readonly #reached = new Map<string, number>();
  #ready: Promise<void> | null = null;
  #lost: StoreError | null = null;

  /** Nothing is asked of the database before the first use. Throws InputError for a bad name. */
  constructor(database: PostgresDatabase, schema: string) {
    checkSchemaName(schema);
    this.#database = database;
    this.#schema = schema;
  }

  /** True when a store was made there; makes none. */
  static async exists(database: PostgresDatabase, schema: string): Promise<boolean> {
    const rows = await database.ask({
      text: 'SELECT to_regclass($1) AS found',
      values: [`"${schema}".checkpoint`],
    });
    return rows[0]?.['found'] !== null;
  }

  /** Makes the tables or brings them to their present shape; else the first use does. Throws EnvironmentError. */
  prepare(): Promise<void> {
    this.#ready ??= this.#migrate().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  get place(): string {
    return `the schema ${this.#schema} of ${this.#database.place}`;
  }

  async follow(log: string): Promise<string> {
    await this.#all('follow', (s) => `INSERT INTO ${s}.log (name) VALUES ($1) ON CONFLICT DO NOTHING`, [log]);
    const [row] = await this.#all('followed', (s) => `SELECT name FROM ${s}.log`, []);
    return row?.['name'] as string;
  }

  async marks(): Promise<readonly Mark[]> {
    const text = (s: string) =>
      `SELECT topic, partition, record_offset, hash FROM ${s}.checkpoint WHERE hash IS NOT NULL`;
    return (await this.#all('marks', text, [])).map(markOf);
  }

  get lost(): StoreError | null {
    return this.#lost;
  }

  async checkpoint({ topic, partition }: TopicPartition): Promise<number | undefined> {
    const place = `${topic}/${partition}`;
    const reached = this.#reached.get(place) ?? 0;
    const [row] = await this.#all(
      'checkpoint',
      (s) => `SELECT next_offset FROM ${s}.checkpoint WHERE topic = $1 AND partition = $2`,
      [topic, partition],
    );
    const next = row?.['next_offset'] as number | undefined;
    if ((next ?? 0) < reached) {
      throw this.#lose(
        `the checkpoint of ${place} went back from ${reached} to ${next ?? 0}: the tables were made anew`,
      );
    }
    this.#reach(place, next ?? 0);
    return next;
  }

  async seen(eventIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#all('seen', (s) => `SELECT event_id FROM ${s}.inbox WHERE event_id = ANY ($1::text[])`, [
      eventIds,
    ]);
    return new Set(rows.map((row) => row['event_id'] as string));
  }

  async documents(keys: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    return new Map([...(await this.read(keys))].map(([key, { value }]) => [key, value]));
  }

  async read(keys: readonly string[]): Promise<ReadonlyMap<string, StoredDocument>> {
    const rows = await this.#all(
      'read',
      (s) => `SELECT key, value, revision FROM ${s}.document WHERE key = ANY ($1::text[]) ORDER BY key`,
      [keys],
    );
    return new Map(
      rows.map((row) => [
        row['key'] as string,
        { value: JSON.parse(row['value'] as string) as unknown, revision: row['revision'] as number },
      ]),
    );
  }

  async documentsUnder(prefix: string): Promise<ReadonlyMap<string, unknown>> {
    // U+10FFFF sorts after every character that a key may hold.
    const rows = await this.#all(
      'under',
      (s) => `SELECT key, value FROM ${s}.document WHERE key >= $1 AND key < $2 ORDER BY key`,
      [prefix, `${prefix}\u{10ffff}`],
    );
    return new Map(rows.map((row) => [row['key'] as string, JSON.parse(row['value'] as string) as unknown]));
  }

  async commit(unit: UnitOfWork): Promise<void> {
    const statement = this.#statement(unit);
    await this.#whileThere(() =>
      this.#database.transaction(beginUnit(this.#schema, unit), async (ask) => {
        const [answer] = await ask(statement);
        checkCommitted(answer, unit);
      }),
    );
    const to = unit.checkpoint?.to;
    if (to) this.#reach(`${to.topic}/${to.partition}`, to.offset);
  }

  async outbox(limit: number): Promise<readonly OutboxRecord[]> {
    const rows = await this.#all(
      'outbox',
      (s) => `SELECT sequence, topic, key, headers, value FROM ${s}.outbox ORDER BY sequence LIMIT $1`,
      [limit],
    );
    return rows.map(outboxRecord);
  }

  async outboxSent(sequences: readonly number[]): Promise<void> {
    await this.#all('sent', (s) => `DELETE FROM ${s}.outbox WHERE sequence = ANY ($1::bigint[])`, [sequences]);
  }

  async claimWork({ owner, kinds, limit, now, leaseUntil }: WorkClaim): Promise<readonly WorkItem[]> {
    const leases = await this.#all(
      'owners',
      (s) => `SELECT DISTINCT owner FROM ${s}.work WHERE owner IS NOT NULL AND owner <> $1 AND lease_until > $2`,
      [owner, now],
    );
    const gone = leases.map((row) => row['owner'] as string).filter((one) => !isProcessAlive(one));
    // Items that another process is just claiming are passed over, not waited for.
    const rows = await this.#all(
      'claim',
      (s) => `
        UPDATE ${s}.work SET owner = $1, lease_until = $2
        WHERE place = ANY (ARRAY(
          SELECT place FROM ${s}.work
          WHERE kind = ANY ($3::text[]) AND not_before <= $4
            AND (owner IS NULL OR lease_until <= $4 OR owner = ANY ($5::text[]))
          ORDER BY place LIMIT $6 FOR UPDATE SKIP LOCKED
        ))
        RETURNING place, id, kind, payload, attempts`,
      [owner, leaseUntil, kinds, now, gone, limit],
    );
    return rows.sort((a, b) => (a['place'] as number) - (b['place'] as number)).map(workItem);
  }

  async renewLeases(owner: string, ids: readonly string[], until: number): Promise<void> {
    await this.#all(
      'renew',
      (s) => `UPDATE ${s}.work SET lease_until = $1 WHERE owner = $2 AND id = ANY ($3::text[])`,
      [until, owner, ids],
    );
  }

  async releaseLeases(owner: string): Promise<void> {
    await this.#all('release', (s) => `UPDATE ${s}.work SET owner = NULL, lease_until = NULL WHERE owner = $1`, [
      owner,
    ]);
  }

  async workPending(): Promise<number> {
    const [row] = await this.#all('pending', (s) => `SELECT count(*) AS n FROM ${s}.work`, []);
    return row?.['n'] as number;
  }

  async outboxPending(): Promise<number> {
    const [row] = await this.#all('unsent', (s) => `SELECT count(*) AS n FROM ${s}.outbox`, []);
    return row?.['n'] as number;
  }

  /** The database stays open: it is shared. */
  async close(): Promise<void> {}

  async #migrate(): Promise<void> {
    const known = new Set(STORE_MIGRATIONS.map(({ name }) => name));
    const { executed } = await migrateSchema(this.#database, {
      schema: this.#schema,
      migrations: STORE_MIGRATIONS,
      migrationsTableName: 'migrations',
    });
    const newer = executed.filter((name) => !known.has(name));
    if (newer.length === 0) return;
    throw new EnvironmentError(
      `the schema ${this.#schema} of ${this.#database.place} was written by a newer whale (${newer.join(', ')}). ` +
        `Run that version, or drop the schema: what it holds is rebuilt from the log.`,
    );
  }

  #statement(unit: UnitOfWork): Statement {
    try {
      return commitStatement(this.#schema, unit);
    } catch (error) {
      throw storeErrorOf(error, this.#database.place);
    }
  }

  /** The statement's text is made from the quoted schema and prepared under `name`. */
  async #all(name: string, text: (schema: string) => string, values: readonly unknown[]): Promise<Row[]> {
    const statement = { name: `${this.#schema}.${name}`, text: text(`"${this.#schema}"`), values };
    return this.#whileThere(() => this.#database.ask(statement));
  }

  async #whileThere<T>(work: () => Promise<T>): Promise<T> {
    await this.prepare();
    if (this.#lost) throw this.#lost;
    try {
      return await work();
    } catch (error) {
      throw error instanceof StoreError && error.code === 'STORE_GONE' ? this.#lose(error.message, error) : error;
    }
  }

  #lose(why: string, cause?: StoreError): StoreError {
    this.#lost ??= new StoreError(
      'STORE_GONE',
      `${why}. Was the schema ${this.#schema} dropped? Start this process anew: what it held is rebuilt from the log`,
      { cause },
    );
    return this.#lost;
  }

  #reach(place: string, next: number): void {
    this.#reached.set(place, Math.max(next, this.#reached.get(place) ?? 0));
  }
}
