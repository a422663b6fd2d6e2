import { WhaleError } from '@whale/kernel';
import { deadLetterTopic, ExperimentCancelRequested, ProposalFailed } from '@whale/contracts';
import type { RecordBatch } from '@whale/event-log';
import { onTestFinished, expect, test, vi } from 'vitest';
import { startService } from '../service.ts';
import { ECHO_TOPIC, REQUEST_TOPIC, echo, echoService, request } from '../support/echo-service.ts';
import { recordOf, recordsOn, telemetryFor, temporaryPlatform } from '../support/temporary-platform.ts';
import { BatchReactor } from './batch-reactor.ts';
import { Emitter } from './emitter.ts';

const busy = () => new WhaleError('BUSY', 'come back later', { retryable: true });

test('T3: a retryable failure commits what came before it and has the rest delivered again', async () => {
  const platform = await temporaryPlatform();
  const handled: string[] = [];
  let refusals = 2;
  const service = await startService(
    echoService((reason) => {
      handled.push(reason);
      if (reason === 'two' && refusals-- > 0) throw busy();
    }),
    platform,
    {},
  );
  onTestFinished(() => service.stop());
  // One key, one partition, one batch; each event has an id of its own through its experiment.
  const key = 'same';
  await platform.log.append(['one', 'two', 'three'].map((reason) => ({ ...recordOf(request(reason, reason)), key })));
  await vi.waitFor(async () => expect(await recordsOn(platform.log, ECHO_TOPIC)).toHaveLength(3), 10_000);
  expect(handled).toEqual(['one', 'two', 'two', 'two', 'three']);
  expect(await recordsOn(platform.log, deadLetterTopic(REQUEST_TOPIC))).toEqual([]);
  expect(platform.troubles).toHaveLength(2);
});

test('T3: a failure that stays retryable is parked after the last delivery, and the batch goes on', async () => {
  const platform = await temporaryPlatform();
  const store = platform.store('proposer');
  onTestFinished(() => store.close());
  let deliveries = 0;
  const reactor = new BatchReactor({
    service: 'proposer',
    consumes: [ExperimentCancelRequested],
    log: platform.log,
    store,
    blobs: platform.blobs,
    emitter: new Emitter({
      service: 'proposer',
      emits: [ProposalFailed],
      blobs: platform.blobs,
      clock: platform.clock,
    }),
    invoke: async ({ event }) => {
      const { reason, experimentId } = event.data as { reason: string; experimentId: string };
      if (reason === 'never') {
        deliveries++;
        throw busy();
      }
      return { events: [echo(experimentId, reason)] };
    },
    telemetry: telemetryFor('proposer'),
    onTrouble: (message) => platform.onTrouble('proposer', message),
  });
  const records = ['never', 'after'].map((reason, offset) => ({
    ...recordOf(request(reason, reason)),
    partition: 0,
    offset,
    timestamp: 0,
  }));
  const batch: RecordBatch = { topic: REQUEST_TOPIC, partition: 0, records, nextOffset: 2 };
  for (let delivery = 1; delivery < 8; delivery++) {
    await expect(reactor.handle(batch)).rejects.toMatchObject({ code: 'BUSY' });
  }
  expect(await store.checkpoint(batch)).toBeUndefined();
  await reactor.handle(batch);
  expect(deliveries).toBe(8);
  expect(await store.checkpoint(batch)).toBe(2);
  expect((await store.outbox(9)).map((record) => record.headers['whale-dlq-code'] ?? record.topic)).toEqual([
    'BUSY',
    ECHO_TOPIC,
  ]);
  // Delivered once more, as after a crash before the log took note: nothing is parked twice.
  await reactor.handle(batch);
  expect(await store.outbox(9)).toHaveLength(2);
});
