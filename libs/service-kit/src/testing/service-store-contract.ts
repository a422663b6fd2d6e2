import type { WireRecord } from '@whale/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newOwner, registerOwner } from '../store/owner.ts';
import type { ServiceStore, UnitOfWork } from '../store/service-store.ts';

export interface StoreHarness {
  /** A connection to one and the same store, which is empty at the first call after `reset`. */
  open(): Promise<ServiceStore>;
  reset(): Promise<void>;
  dispose(): Promise<void>;
}

const PARTITION = { topic: 't', partition: 0 };
const NOW = 1_000_000;

function record(key: string): WireRecord {
  return { topic: 't', key, headers: { ce_id: key }, value: `{"key":"${key}"}` };
}

function alive(): string {
  const owner = newOwner();
  registerOwner(owner);
  return owner;
}

/** What every ServiceStore must do, the same for all: to be called at the top of a test file. */
export function serviceStoreContract(name: string, makeHarness: () => Promise<StoreHarness>): void {
  describe(`service store contract: ${name}`, () => {
    let harness: StoreHarness;
    let store: ServiceStore;
    let other: ServiceStore;
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness.dispose());
    beforeEach(async () => {
      await harness.reset();
      store = await harness.open();
      other = await harness.open();
    });
    afterEach(async () => {
      await store.close();
      await other.close();
    });

    const work = (id: string, kind = 'train') => ({ id, kind, payload: { id } });
    const claim = (owner: string, now = NOW, limit = 10, kinds = ['train']) =>
      store.claimWork({ owner, kinds, limit, now, leaseUntil: now + 1_000 });

    describe('D1: a unit is one transaction', () => {
      const unit: UnitOfWork = {
        inbox: ['e1', 'e2'],
        documents: new Map([['doc', { n: 1 }]]),
        outbox: [record('a'), record('b')],
        work: [work('e1/train')],
        checkpoint: { from: undefined, to: { ...PARTITION, offset: 2 } },
      };

      test('all of it is there, also for another connection', async () => {
        await store.commit(unit);
        expect([...(await other.seen(['e1', 'e2', 'e3']))].sort()).toEqual(['e1', 'e2']);
        expect(await other.documents(['doc'])).toEqual(new Map([['doc', { n: 1 }]]));
        expect(await other.read(['doc'])).toEqual(new Map([['doc', { value: { n: 1 }, revision: 1 }]]));
        expect((await other.outbox(10)).map(({ sequence: _, ...rest }) => rest)).toEqual([record('a'), record('b')]);
        expect(await other.checkpoint(PARTITION)).toBe(2);
        expect(await other.workPending()).toBe(1);
      });

      test.each<[string, UnitOfWork]>([
        ['a known event', { ...unit, inbox: ['e3', 'known'], documents: new Map() }],
        ['a stale checkpoint', { ...unit, checkpoint: { from: 7, to: { ...PARTITION, offset: 9 } } }],
        ['a stale document', { ...unit, basedOn: new Map([['doc', 3]]) }],
        ['a lease that is not held', { ...unit, finished: [{ id: 'nobody', owner: 'me' }] }],
        ['a lease that is not held by work that goes on', { ...unit, held: [{ id: 'nobody', owner: 'me' }] }],
      ])('none of it is there after %s', async (_, refused) => {
        await store.commit({ inbox: ['known'] });
        await expect(store.commit(refused)).rejects.toMatchObject({ name: 'StoreError' });
        expect((await store.seen(['e1', 'e2', 'e3'])).size).toBe(0);
        expect(await store.documents(['doc'])).toEqual(new Map());
        expect(await store.outbox(10)).toEqual([]);
        expect(await store.workPending()).toBe(0);
        expect(await store.checkpoint(PARTITION)).toBeUndefined();
      });
    });

    test('the log that was named first stays the one that is followed', async () => {
      expect(await store.follow('a log')).toBe('a log');
      expect(await other.follow('another log')).toBe('a log');
      expect(await store.follow('a log')).toBe('a log');
    });

    test('the mark of a partition comes with its checkpoint, and stays when one comes without', async () => {
      expect(await store.marks()).toEqual([]);
      const [first, second] = [1, 4].map((offset) => ({ ...PARTITION, offset, hash: `hash ${offset}` }));
      await store.commit({ checkpoint: { from: undefined, to: { ...PARTITION, offset: 2 }, mark: first } });
      expect(await other.marks()).toEqual([first]);
      await store.commit({ checkpoint: { from: 2, to: { ...PARTITION, offset: 5 }, mark: second } });
      await store.commit({ checkpoint: { from: 5, to: { ...PARTITION, offset: 7 } } });
      const stale = store.commit({ checkpoint: { from: 5, to: { ...PARTITION, offset: 2 }, mark: first } });
      await expect(stale).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER' });
      expect(await other.marks()).toEqual([second]);
    });

    test('D1: JSON too deep for any store is refused as such, and changes nothing', async () => {
      let deep: unknown = [];
      for (let level = 0; level < 50_000; level++) deep = [deep];
      const unit = { inbox: ['e1'], documents: new Map([['doc', deep]]) };
      await expect(store.commit(unit)).rejects.toMatchObject({ code: 'STORE_UNSTORABLE', retryable: false });
      expect((await store.seen(['e1'])).size).toBe(0);
      await store.commit({ inbox: ['e1'] });
    });

    test('D2: an event id enters the inbox once', async () => {
      await store.commit({ inbox: ['e1'] });
      await expect(other.commit({ inbox: ['e1'] })).rejects.toMatchObject({ code: 'STORE_DUPLICATE', retryable: true });
      await expect(store.commit({ inbox: ['e2', 'e2'] })).rejects.toMatchObject({ code: 'STORE_DUPLICATE' });
    });

    test('D3: a checkpoint moves only from the offset that is expected', async () => {
      await store.commit({ checkpoint: { from: undefined, to: { ...PARTITION, offset: 5 } } });
      for (const from of [undefined, 4, 6]) {
        await expect(other.commit({ checkpoint: { from, to: { ...PARTITION, offset: 9 } } })).rejects.toMatchObject({
          code: 'STORE_STALE_CONSUMER',
          retryable: true,
        });
      }
      await other.commit({ checkpoint: { from: 5, to: { ...PARTITION, offset: 9 } } });
      expect(await store.checkpoint(PARTITION)).toBe(9);
      expect(await store.checkpoint({ topic: 't', partition: 1 })).toBeUndefined();
    });

    describe('D4: work', () => {
      test('is finished only by the owner of its lease', async () => {
        await store.commit({ work: [work('w1')] });
        const owner = alive();
        await claim(owner);
        const finish = (by: string) => other.commit({ finished: [{ id: 'w1', owner: by }], outbox: [record('done')] });
        await expect(finish('somebody')).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER' });
        await finish(owner);
        await expect(finish(owner)).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER' });
        expect(await store.outbox(10)).toHaveLength(1);
        expect(await store.workPending()).toBe(0);
      });

      test('has effects on the way only by the owner of its lease, and goes on', async () => {
        await store.commit({ work: [work('w1')] });
        const owner = alive();
        await claim(owner);
        const commit = (by: string, n: number) =>
          other.commit({
            held: [{ id: 'w1', owner: by }],
            documents: new Map([['doc', n]]),
            outbox: [record(String(n))],
          });
        await commit(owner, 1);
        await commit(owner, 2);
        await expect(commit('somebody', 3)).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER', retryable: false });
        const heir = alive();
        expect(await claim(heir, NOW + 1_000)).toHaveLength(1);
        await expect(commit(owner, 4)).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER' });
        await commit(heir, 5);
        await other.commit({ finished: [{ id: 'w1', owner: heir }] });
        await expect(commit(heir, 6)).rejects.toMatchObject({ code: 'STORE_STALE_CONSUMER' });
        expect((await store.outbox(10)).map(({ key }) => key)).toEqual(['1', '2', '5']);
        expect((await store.documents(['doc'])).get('doc')).toBe(5);
      });

      test('of one id is taken in once', async () => {
        await store.commit({ work: [work('w1')] });
        await store.commit({ work: [work('w1')] });
        expect(await store.workPending()).toBe(1);
      });

      test('is handed out oldest first, by kind, up to the limit, with its payload', async () => {
        await store.commit({ work: ['w2', 'w1', 'w3'].map((id) => work(id)) });
        await store.commit({ work: [work('other', 'verify')] });
        expect((await claim(alive(), NOW, 2)).map((item) => item.id)).toEqual(['w2', 'w1']);
        expect(await claim(alive())).toEqual([{ ...work('w3'), attempts: 0 }]);
      });

      test('that is leased is not handed out again before the lease ends, not even to its owner', async () => {
        await store.commit({ work: [work('w1')] });
        const [one, two] = [alive(), alive()];
        expect(await claim(one)).toHaveLength(1);
        expect(await claim(two, NOW + 999)).toEqual([]);
        expect(await claim(one, NOW + 999)).toEqual([]);
        await store.renewLeases(one, ['w1'], NOW + 3_000);
        expect(await claim(two, NOW + 2_999)).toEqual([]);
        expect(await claim(two, NOW + 3_000)).toHaveLength(1);
        await expect(store.commit({ finished: [{ id: 'w1', owner: one }] })).rejects.toThrow();
      });

      test('whose owner could not commit it comes back to the same owner when the lease ends', async () => {
        await store.commit({ work: [work('w1')] });
        const owner = alive();
        await claim(owner);
        expect(await claim(owner, NOW + 1_000)).toHaveLength(1);
      });

      test('of a process that is gone, or that gives its leases back, is handed out at once', async () => {
        await store.commit({ work: [work('w1')] });
        const neverRegistered = newOwner();
        expect(await claim(neverRegistered)).toHaveLength(1);
        const two = alive();
        expect(await claim(two)).toHaveLength(1);
        await store.releaseLeases(two);
        expect(await claim(alive())).toHaveLength(1);
      });

      test('that is deferred waits, and remembers its attempts', async () => {
        await store.commit({ work: [work('w1')] });
        const owner = alive();
        await claim(owner);
        await store.commit({ deferred: [{ id: 'w1', owner, notBefore: NOW + 50, attempts: 2 }] });
        expect(await claim(owner, NOW + 49)).toEqual([]);
        expect(await claim(owner, NOW + 50)).toEqual([{ ...work('w1'), attempts: 2 }]);
      });
    });

    describe('D5: documents', () => {
      const write = (by: ServiceStore, value: unknown, revision: number) =>
        by.commit({ documents: new Map([['doc', value]]), basedOn: new Map([['doc', revision]]) });

      test('change only from the revision that was read', async () => {
        await write(store, { n: 1 }, 0);
        await expect(write(other, { n: 'lost' }, 0)).rejects.toMatchObject({
          code: 'STORE_STALE_DOCUMENT',
          retryable: true,
        });
        await write(other, { n: 2 }, 1);
        await expect(write(store, { n: 'lost' }, 1)).rejects.toMatchObject({ code: 'STORE_STALE_DOCUMENT' });
        expect((await store.read(['doc'])).get('doc')).toEqual({ value: { n: 2 }, revision: 2 });
      });

      test('are deleted by null, listed by prefix, and keep any JSON', async () => {
        const odd = { text: 'θ\n"\u2028', list: [1, null, { deep: [] }], number: 1e-7 };
        await store.commit({
          documents: new Map<string, unknown>([
            ['a/2', odd],
            ['a/1', 1],
            ['ab', 2],
            ['b/1', 3],
          ]),
        });
        expect([...(await store.documentsUnder('a/'))]).toEqual([
          ['a/1', 1],
          ['a/2', odd],
        ]);
        await store.commit({ documents: new Map([['a/1', null]]) });
        expect([...(await store.documentsUnder('a/')).keys()]).toEqual(['a/2']);
      });
    });

    test('D6: the outbox is read in order and forgets just what was sent', async () => {
      const keys = async () => (await other.outbox(9)).map(({ key }) => key);
      await store.commit({ outbox: [record('a'), record('b')] });
      await store.commit({ outbox: ['c', 'd'].map(record) });
      const [first, second, third] = await store.outbox(3);
      expect([first?.key, second?.key, third?.key]).toEqual(['a', 'b', 'c']);
      await store.outboxSent([first?.sequence as number, third?.sequence as number]);
      expect(await keys()).toEqual(['b', 'd']);
      expect(await store.outboxPending()).toBe(2);
      await store.outboxSent([]);
      await store.outboxSent([second?.sequence as number]);
      expect(await keys()).toEqual(['d']);
    });

    test('everything outlives the connection', async () => {
      await store.commit({
        inbox: ['e1'],
        work: [work('w1')],
        outbox: [record('a')],
        documents: new Map([['doc', 1]]),
        checkpoint: { from: undefined, to: { ...PARTITION, offset: 3 } },
      });
      await store.close();
      await other.close();
      store = await harness.open();
      expect((await store.seen(['e1'])).size).toBe(1);
      expect(await store.workPending()).toBe(1);
      expect(await store.outbox(9)).toHaveLength(1);
      expect(await store.checkpoint(PARTITION)).toBe(3);
      expect((await store.documents(['doc'])).get('doc')).toBe(1);
    });
  });
}
