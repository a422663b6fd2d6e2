import type { WireRecord } from '@whale/contracts';
import { testPostgres } from '@whale/test-postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newOwner, registerOwner } from './owner.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { PostgresServiceStore } from './postgres-store.ts';

const postgres = await testPostgres('processes that share a store on PostgreSQL');
afterAll(() => postgres?.close());

const PROCESSES = 4;
const SCHEMA = 'whale_scheduler';

function record(key: string, n: number): WireRecord {
  return { topic: 't', key, headers: { ce_id: `${key}/${n}` }, value: String(n) };
}

describe.skipIf(!postgres)('processes of one service', () => {
  let url: string;
  let databases: PostgresDatabase[];
  /** One store a process, each with connections of its own. */
  let stores: PostgresServiceStore[];
  beforeEach(async () => {
    url = (await postgres?.database()) as string;
    databases = await Promise.all(Array.from({ length: PROCESSES }, () => PostgresDatabase.open(url, { pool: 2 })));
    stores = databases.map((database) => new PostgresServiceStore(database, SCHEMA));
    // All at once: the tables are made once, and nobody fails.
    await Promise.all(stores.map((store) => store.prepare()));
  });
  afterEach(() => Promise.all(databases.map((database) => database.close())));

  /** What each process got: undefined where it succeeded, else the error's code. */
  async function race(act: (store: PostgresServiceStore, i: number) => Promise<void>): Promise<(string | undefined)[]> {
    const outcomes = await Promise.allSettled(stores.map(act));
    return outcomes
      .map((one) => (one.status === 'fulfilled' ? undefined : (one.reason as { code: string }).code))
      .sort();
  }

  const lost = (code: string) => [...Array<string>(PROCESSES - 1).fill(code), undefined];

  test('D2: of those that bring one event at once, one succeeds', async () => {
    for (let round = 0; round < 20; round++) {
      const mine = (i: number) =>
        ['shared', ...'abcdefgh'].map((name) => `${round}/${name}/${name === 'shared' ? '' : i}`);
      const outcome = await race((store, i) =>
        store.commit({ inbox: mine(i).reverse(), outbox: [record('k', round)] }),
      );
      expect(outcome).toEqual(lost('STORE_DUPLICATE'));
    }
    expect(await stores[0]?.outbox(99)).toHaveLength(20);
  });

  test('D3: of those that move one checkpoint at once, one succeeds, also at its first move', async () => {
    for (let from: number | undefined; (from ?? 0) < 20; from = (from ?? 0) + 1) {
      const to = { topic: 't', partition: 0, offset: (from ?? 0) + 1 };
      expect(await race((store) => store.commit({ checkpoint: { from, to } }))).toEqual(lost('STORE_STALE_CONSUMER'));
    }
  });

  test('D5: of those that write one document at once, one succeeds, also with its first writing', async () => {
    for (let revision = 0; revision < 20; revision++) {
      const outcome = await race((store, i) =>
        store.commit({ documents: new Map([['doc', i]]), basedOn: new Map([['doc', revision]]) }),
      );
      expect(outcome).toEqual(lost('STORE_STALE_DOCUMENT'));
    }
  });

  test('D5: a document that was only read, and is not there, is not written meanwhile', async () => {
    for (let round = 0; round < 20; round++) {
      const keys = [`a${round}`, `b${round}`] as const;
      const basedOn = new Map(keys.map((key) => [key, 0]));
      const outcome = await race((store, i) =>
        store.commit({ documents: new Map([[keys[i % 2] as string, i]]), basedOn }),
      );
      expect(outcome).toEqual(lost('STORE_STALE_DOCUMENT'));
    }
  });

  test('D5, D6: counting together loses no count, and the records leave in the order of the counts', async () => {
    const keys = ['x', 'y', 'z'];
    const each = 25;
    const published: WireRecord[] = [];
    let counting = true;
    const relay = async (store: PostgresServiceStore) => {
      for (;;) {
        const last = !counting;
        const records = await store.outbox(7);
        published.push(...records);
        await store.outboxSent(records.map(({ sequence }) => sequence));
        if (last && records.length === 0) return;
      }
    };
    const count = async (store: PostgresServiceStore, key: string): Promise<void> => {
      const { value, revision } = (await store.read([key])).get(key) ?? { value: 0, revision: 0 };
      const n = (value as number) + 1;
      const unit = { documents: new Map([[key, n]]), basedOn: new Map([[key, revision]]), outbox: [record(key, n)] };
      try {
        await store.commit(unit);
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORE_STALE_DOCUMENT' });
        await count(store, key);
      }
    };
    const counters = stores.map(async (store) => {
      for (let i = 0; i < each; i++) for (const key of keys) await count(store, key);
    });
    const relays = stores.slice(0, 2).map(relay);
    await Promise.all(counters);
    counting = false;
    await Promise.all(relays);
    for (const key of keys) {
      const first = [...new Set(published.filter((one) => one.key === key).map(({ value }) => Number(value)))];
      expect(first).toEqual(Array.from({ length: PROCESSES * each }, (_, i) => i + 1));
    }
  });

  test('D6: a record with a lower sequence that is committed after a higher one was sent is not lost', async () => {
    const [store] = stores as [PostgresServiceStore];
    const slow = new pg.Client({ connectionString: url });
    await slow.connect();
    // Another process in the midst of its commit: it has its sequence, and nobody sees it yet.
    await slow.query('BEGIN');
    await slow.query(`INSERT INTO ${SCHEMA}.outbox (topic, key, headers, value) VALUES ('t', 'slow', '{}', '1')`);
    await store.commit({ outbox: [record('quick', 1)] });
    const read = await store.outbox(9);
    expect(read.map(({ key }) => key)).toEqual(['quick']);
    await slow.query('COMMIT');
    await slow.end();
    await store.outboxSent(read.map(({ sequence }) => sequence));
    const left = await store.outbox(9);
    expect(left.map(({ key }) => key)).toEqual(['slow']);
    expect(left[0]?.sequence).toBeLessThan(read[0]?.sequence as number);
  });

  test('D4: no item of work is handed to two processes', async () => {
    const [store] = stores as [PostgresServiceStore];
    const ids = Array.from({ length: 200 }, (_, i) => `w${i}`);
    await store.commit({ work: ids.map((id) => ({ id, kind: 'train', payload: null })) });
    const taken: string[] = [];
    const outcome = await race(async (one) => {
      const owner = newOwner();
      registerOwner(owner);
      for (;;) {
        const claim = { owner, kinds: ['train'], limit: 3, now: 1_000, leaseUntil: 9_000 };
        const items = await one.claimWork(claim);
        if (items.length === 0 && (await one.workPending()) === taken.length) return;
        taken.push(...items.map(({ id }) => id));
      }
    });
    expect(outcome).toEqual(Array(PROCESSES).fill(undefined));
    expect(taken.sort()).toEqual(ids.sort());
  });

  test('units with many documents in any order do not lock each other out', async () => {
    const keys = Array.from({ length: 100 }, (_, i) => `doc${i}`);
    for (let round = 0; round < 5; round++) {
      const outcome = await race((store, i) => {
        const order = i % 2 === 0 ? keys : [...keys].reverse();
        return store.commit({
          documents: new Map(order.map((key) => [key, i])),
          inbox: order.map((key) => `${round}${i}${key}`),
        });
      });
      expect(outcome).toEqual(Array(PROCESSES).fill(undefined));
    }
  });
});
