import { ExperimentCancelRequested, ProposalFailed, readDeadLetter } from '@whale/contracts';
import type { RecordBatch } from '@whale/event-log';
import { EnvironmentError } from '@whale/kernel';
import { onTestFinished, expect, test } from 'vitest';
import { StoreError } from '../store/errors.ts';
import { REQUEST_TOPIC, echo, request } from '../support/echo-service.ts';
import { recordOf, telemetryFor, temporaryPlatform } from '../support/temporary-platform.ts';
import { BatchReactor, type InvokeHandler } from './batch-reactor.ts';
import { Emitter } from './emitter.ts';

const PLACE = { topic: REQUEST_TOPIC, partition: 0 };

async function reactorWith(handle: (reason: string) => Awaited<ReturnType<InvokeHandler>>) {
  const platform = await temporaryPlatform();
  const store = platform.store('proposer');
  onTestFinished(() => store.close());
  const blobs = {
    ...platform.blobs,
    get: platform.blobs.get.bind(platform.blobs),
    put: platform.blobs.put.bind(platform.blobs),
  };
  const emitter = new Emitter({ service: 'proposer', emits: [ProposalFailed], blobs, clock: platform.clock });
  const handled: string[] = [];
  const reactor = new BatchReactor({
    service: 'proposer',
    consumes: [ExperimentCancelRequested],
    log: platform.log,
    store,
    blobs,
    emitter,
    invoke: async ({ event }) => {
      const { reason } = event.data as { reason: string };
      handled.push(reason);
      return handle(reason);
    },
    telemetry: telemetryFor('proposer'),
    onTrouble: (message) => platform.onTrouble('proposer', message),
  });
  const outcome = async () =>
    (await store.outbox(99)).map((record) => {
      const letter = readDeadLetter(record);
      return letter?.kind === 'parked' ? `${letter.offset} ${letter.code}` : record.headers['ce_subject'];
    });
  return { reactor, store, blobs, handled, outcome, platform };
}

function batchOf(...reasons: string[]): RecordBatch {
  const records = reasons.map((reason, offset) => ({
    ...recordOf(request(reason, reason)),
    ...PLACE,
    offset,
    timestamp: 0,
  }));
  return { ...PLACE, records, nextOffset: records.length };
}

function deep(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

test('T2: effects that no store can hold are parked, once, and those of the other events are not lost', async () => {
  const { reactor, store, outcome, platform } = await reactorWith((reason) => ({
    events: [echo(reason, reason)],
    documents: new Map([[reason, reason === 'deep' ? deep(50_000) : reason]]),
  }));
  const batch = batchOf('one', 'deep', 'three');
  await reactor.handle(batch);
  expect(await outcome()).toEqual(['one', '1 STORE_UNSTORABLE', 'three']);
  expect([...(await store.documents(['one', 'deep', 'three'])).keys()]).toEqual(['one', 'three']);
  expect(await store.checkpoint(PLACE)).toBe(3);
  expect(platform.troubles).toHaveLength(1);
  await reactor.handle(batch);
  expect(await outcome()).toHaveLength(3);
});

test('T4: a failure of the store parks nothing, also one of which it is not known that trying again helps', async () => {
  let away = 30;
  const { reactor, outcome } = await reactorWith((reason) => {
    if (away-- > 0) throw new StoreError('STORE_IO', 'unheard of');
    return { events: [echo(reason, reason)] };
  });
  const batch = batchOf('one');
  for (let delivery = 0; delivery < 30; delivery++) {
    await expect(reactor.handle(batch)).rejects.toMatchObject({ code: 'STORE_IO' });
  }
  await reactor.handle(batch);
  expect(await outcome()).toEqual(['one']);
});

test('T4: what fails because a store does not answer waits, however long', async () => {
  let away = 30;
  const { reactor, store, outcome } = await reactorWith((reason) => {
    if (away-- > 0) throw new StoreError('STORE_IO', 'the store is away', { retryable: true });
    return { events: [echo(reason, reason)] };
  });
  const batch = batchOf('one');
  for (let delivery = 0; delivery < 30; delivery++) {
    await expect(reactor.handle(batch)).rejects.toMatchObject({ code: 'STORE_IO' });
  }
  expect(await store.checkpoint(PLACE)).toBeUndefined();
  await reactor.handle(batch);
  expect(await outcome()).toEqual(['one']);
});

test('T2: a large record waits to be parked while the blob store is full, and what came before it is committed', async () => {
  const { reactor, store, blobs, handled, outcome, platform } = await reactorWith((reason) => ({
    events: [echo(reason, reason)],
  }));
  const batch = batchOf('one', 'large', 'three');
  const large = {
    ...batch,
    records: batch.records.map((record, i) => (i === 1 ? { ...record, value: 'x'.repeat(300_000) } : record)),
  };
  const put = blobs.put;
  blobs.put = () => Promise.reject(new EnvironmentError('the disk is full', { retryable: true }));
  await expect(reactor.handle(large)).rejects.toThrow('the disk is full');
  await expect(reactor.handle(large)).rejects.toThrow('the disk is full');
  expect(await outcome()).toEqual(['one']);
  expect(await store.checkpoint(PLACE)).toBe(1);
  expect(platform.troubles).toEqual([]);
  blobs.put = put;
  await reactor.handle(large);
  expect(await outcome()).toEqual(['one', '1 EVENT_MALFORMED', 'three']);
  expect(handled).toEqual(['one', 'three']);
});
