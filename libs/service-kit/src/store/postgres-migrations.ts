import type { MigrationInterface, QueryRunner } from 'typeorm';

const NO_WAY_BACK = 'a service store is not migrated back: drop its schema, what it holds is rebuilt from the log';

/**
 * The tables of one service's store. Text that is compared or sorted is in the C collation: the order of its bytes, as
 * on SQLite. Documents are JSON text: `jsonb` would refuse U+0000 in a string, and forget the order of fields.
 */
class CreateServiceStore1764000000000 implements MigrationInterface {
  readonly name = 'CreateServiceStore1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`
      CREATE TABLE ${schema}.inbox (event_id text COLLATE "C" PRIMARY KEY);
      CREATE TABLE ${schema}.document (
        key text COLLATE "C" PRIMARY KEY, value text NOT NULL, revision bigint NOT NULL
      );
      CREATE TABLE ${schema}.outbox (
        sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, topic text NOT NULL, key text NOT NULL,
        headers text NOT NULL, value text NOT NULL
      );
      CREATE TABLE ${schema}.work (
        place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, kind text NOT NULL,
        payload text NOT NULL, attempts integer NOT NULL DEFAULT 0, not_before bigint NOT NULL DEFAULT 0, owner text,
        lease_until bigint
      );
      CREATE INDEX work_leased ON ${schema}.work (owner) WHERE owner IS NOT NULL;
      CREATE TABLE ${schema}.checkpoint (
        topic text COLLATE "C" NOT NULL, partition integer NOT NULL, next_offset bigint NOT NULL,
        PRIMARY KEY (topic, partition)
      );
    `);
  }

  async down(): Promise<void> {
    throw new Error(NO_WAY_BACK);
  }
}

/** Which log the store follows, by name and by the last record of each partition. */
class AddLogMarks1796000000000 implements MigrationInterface {
  readonly name = 'AddLogMarks1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    const schema = schemaOf(runner);
    await runner.query(`
      ALTER TABLE ${schema}.checkpoint ADD COLUMN record_offset bigint, ADD COLUMN hash text;
      CREATE TABLE ${schema}.log (one boolean PRIMARY KEY DEFAULT true CHECK (one), name text NOT NULL);
    `);
  }

  async down(): Promise<void> {
    throw new Error(NO_WAY_BACK);
  }
}

function schemaOf(runner: QueryRunner): string {
  return `"${(runner.connection.options as { schema: string }).schema}"`;
}

/** A published migration never changes; a new shape is a new one at the end. */
export const STORE_MIGRATIONS = [CreateServiceStore1764000000000, AddLogMarks1796000000000] as const;
