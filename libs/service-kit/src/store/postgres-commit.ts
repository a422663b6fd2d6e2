import { StoreError } from './errors.ts';
import type { Row, Statement } from './postgres-database.ts';
import { lockId } from './postgres-schema.ts';
import type { UnitOfWork } from './service-store.ts';

/** Documents are guarded by this many locks a schema, however many there are. */
const LOCKS = 64;

/**
 * Begins the transaction of a unit and locks its documents, those too that are not there yet, in one round trip. What
 * two units do to one document, to its revision and in the outbox, is thereby done one after the other.
 */
export function beginUnit(schema: string, { basedOn, documents }: UnitOfWork): string {
  const keys = [...(basedOn?.keys() ?? []), ...(documents?.keys() ?? [])];
  const stripes = new Set(keys.map((key) => Number(BigInt.asUintN(32, BigInt(lockId(key)))) % LOCKS));
  // In one order everywhere, so that no two units wait for each other.
  const locks = [...stripes].sort((a, b) => a - b).map((n) => `pg_advisory_xact_lock(${lockId(schema, String(n))})`);
  const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED';
  return locks.length === 0 ? begin : `${begin}; SELECT ${locks.join(', ')}`;
}

/** Writes a whole unit in one statement, which says what must not be: then the transaction is to be rolled back. */
export function commitStatement(schema: string, unit: UnitOfWork): Statement {
  const { inbox = [], basedOn = new Map(), documents = new Map(), work = [], finished = [], deferred = [] } = unit;
  const { outbox = [], held = [], checkpoint } = unit;
  const written = [...documents].filter(([, value]) => value !== null);
  return {
    name: `${schema}.commit`,
    text: commitText(schema),
    values: [
      inbox,
      [...basedOn.keys()],
      [...basedOn.values()],
      [...documents.keys()].filter((key) => documents.get(key) === null),
      written.map(([key]) => key),
      written.map(([, value]) => jsonText(value)),
      work.map(({ id }) => id),
      work.map(({ kind }) => kind),
      work.map(({ payload }) => jsonText(payload)),
      finished.map(({ id }) => id),
      finished.map(({ owner }) => owner),
      deferred.map(({ id }) => id),
      deferred.map(({ owner }) => owner),
      deferred.map(({ notBefore }) => notBefore),
      deferred.map(({ attempts }) => attempts),
      outbox.map(({ topic }) => topic),
      outbox.map(({ key }) => key),
      outbox.map(({ headers }) => JSON.stringify(headers)),
      outbox.map(({ value }) => value),
      checkpoint?.to.topic ?? null,
      checkpoint?.to.partition ?? null,
      checkpoint?.from ?? null,
      checkpoint?.to.offset ?? null,
      held.map(({ id }) => id),
      held.map(({ owner }) => owner),
      checkpoint?.mark?.offset ?? null,
      checkpoint?.mark?.hash ?? null,
    ],
  };
}

/** Throws StoreError for what is too deep or circular. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new StoreError('STORE_UNSTORABLE', `service store: ${(cause as Error).message}`, { cause });
  }
}

/** Throws the StoreError that the answer to `commitStatement` tells of. */
export function checkCommitted(row: Row | undefined, { checkpoint }: UnitOfWork): void {
  const refused = (code: 'STORE_DUPLICATE' | 'STORE_STALE_DOCUMENT' | 'STORE_STALE_CONSUMER', message: string) =>
    new StoreError(code, message, { retryable: true });
  if (!row) throw new Error('a commit has given no answer');
  if (row['duplicate'] !== null) {
    throw refused('STORE_DUPLICATE', `event ${String(row['duplicate'])} is already in the inbox`);
  }
  if (row['stale'] !== null) {
    const { key, present, revision } = row['stale'] as { key: string; present: number; revision: number };
    throw refused('STORE_STALE_DOCUMENT', `document ${key} is at ${present}, not at ${revision}`);
  }
  if (row['lost'] !== null) {
    throw new StoreError('STORE_STALE_CONSUMER', `the lease of work item ${String(row['lost'])} was lost`);
  }
  if (checkpoint && row['moved'] !== 1) {
    const { from, to } = checkpoint;
    throw refused(
      'STORE_STALE_CONSUMER',
      `the checkpoint of ${to.topic}/${to.partition} is not ${from}: another process has gone on`,
    );
  }
}

/** Parameters as `commitStatement` lists them. Rows are inserted in one order everywhere, against deadlocks. */
function commitText(schema: string): string {
  const s = `"${schema}"`;
  return `
    WITH entered AS (
      INSERT INTO ${s}.inbox (event_id) SELECT id FROM unnest($1::text[]) AS id ORDER BY id COLLATE "C"
      ON CONFLICT DO NOTHING RETURNING event_id
    ), stale AS (
      SELECT expected.key, coalesce(document.revision, 0) AS present, expected.revision
      FROM unnest($2::text[], $3::bigint[]) AS expected (key, revision)
      LEFT JOIN ${s}.document ON document.key = expected.key
      WHERE coalesce(document.revision, 0) <> expected.revision
    ), deleted AS (
      DELETE FROM ${s}.document WHERE key = ANY ($4::text[])
    ), written AS (
      INSERT INTO ${s}.document (key, value, revision) SELECT key, value, 1 FROM unnest($5::text[], $6::text[]) AS w (key, value)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, revision = document.revision + 1
    ), taken AS (
      INSERT INTO ${s}.work (id, kind, payload)
      SELECT id, kind, payload
      FROM unnest($7::text[], $8::text[], $9::text[]) WITH ORDINALITY AS w (id, kind, payload, n) ORDER BY n
      ON CONFLICT (id) DO NOTHING
    ), finished AS (
      DELETE FROM ${s}.work USING unnest($10::text[], $11::text[]) AS f (id, owner)
      WHERE work.id = f.id AND work.owner = f.owner RETURNING work.id
    ), deferred AS (
      UPDATE ${s}.work SET owner = NULL, lease_until = NULL, not_before = d.not_before, attempts = d.attempts
      FROM unnest($12::text[], $13::text[], $14::bigint[], $15::int[]) AS d (id, owner, not_before, attempts)
      WHERE work.id = d.id AND work.owner = d.owner RETURNING work.id
    ), held AS (
      SELECT work.id FROM ${s}.work JOIN unnest($24::text[], $25::text[]) AS h (id, owner)
      ON work.id = h.id AND work.owner = h.owner FOR SHARE OF work
    ), sent AS (
      INSERT INTO ${s}.outbox (topic, key, headers, value)
      SELECT topic, key, headers, value
      FROM unnest($16::text[], $17::text[], $18::text[], $19::text[]) WITH ORDINALITY AS o (topic, key, headers, value, n)
      ORDER BY n
    ), begun AS (
      INSERT INTO ${s}.checkpoint (topic, partition, next_offset, record_offset, hash)
      SELECT $20::text, $21::int, $23::bigint, $26::bigint, $27::text WHERE $20::text IS NOT NULL AND $22::bigint IS NULL
      ON CONFLICT DO NOTHING RETURNING 1
    ), moved AS (
      UPDATE ${s}.checkpoint SET next_offset = $23::bigint,
        record_offset = coalesce($26::bigint, record_offset), hash = coalesce($27::text, hash)
      WHERE topic = $20::text AND partition = $21::int AND next_offset = $22::bigint RETURNING 1
    )
    SELECT
      (SELECT min(id) FROM (SELECT unnest($1::text[]) EXCEPT ALL SELECT event_id FROM entered) AS x (id)) AS duplicate,
      (SELECT to_json(stale) FROM stale LIMIT 1) AS stale,
      (SELECT min(id) FROM (
        SELECT unnest($10::text[] || $12::text[] || $24::text[])
        EXCEPT ALL (SELECT id FROM finished UNION ALL SELECT id FROM deferred UNION ALL SELECT id FROM held)
      ) AS x (id)) AS lost,
      (SELECT count(*) FROM begun) + (SELECT count(*) FROM moved) AS moved
  `;
}
