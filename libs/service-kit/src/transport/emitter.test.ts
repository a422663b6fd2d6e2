import { CLAIM_CHECK_BYTES, decodeRecord, ProposalFailed, type BlobRef, type WireRecord } from '@whale/contracts';
import { ManualClock } from '@whale/kernel';
import { expect, test } from 'vitest';
import { echo, request } from '../support/echo-service.ts';
import { temporaryPlatform } from '../support/temporary-platform.ts';
import { Emitter } from './emitter.ts';

async function setUp() {
  const { blobs } = await temporaryPlatform();
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  return { blobs, emitter: new Emitter({ service: 'proposer', emits: [ProposalFailed], blobs, clock }) };
}

/** An event whose value has just so many bytes. */
function ofBytes(bytes: number, letter = 'x') {
  const empty = JSON.stringify(echo('x', '').data).length;
  const letters = (bytes - empty) / Buffer.byteLength(letter);
  return echo('x', letter.repeat(Math.ceil(letters)));
}

test('an event that the service does not own is refused', async () => {
  const { emitter } = await setUp();
  await expect(emitter.encode([request('x')])).rejects.toMatchObject({ code: 'NOT_THE_WRITER' });
});

test('an event that does not fit its schema is refused', async () => {
  const { emitter } = await setUp();
  const wrong = { ...echo('x', ''), data: { experimentId: 'x' } };
  await expect(emitter.encode([wrong])).rejects.toMatchObject({ code: 'EVENT_SCHEMA' });
});

test('the envelope names writer, time, experiment and cause', async () => {
  const { emitter } = await setUp();
  const [record] = await emitter.encode([echo('x', '')], { causationId: 'event-1', traceparent: '00-aa-bb-01' });
  expect(record?.headers).toMatchObject({
    ce_source: 'whale/proposer',
    ce_time: '2030-01-01T00:00:00.000Z',
    ce_correlationid: 'x',
    ce_causationid: 'event-1',
    traceparent: '00-aa-bb-01',
  });
});

test.each([
  ['at the limit', 'x', 0, false],
  ['over the limit', 'x', 1, true],
  ['over the limit in bytes, not in letters', 'θ', 1, true],
])('a value %s (%s) travels as a claim check: %#', async (_, letter, more, checkedIn) => {
  const { emitter, blobs } = await setUp();
  const event = ofBytes(CLAIM_CHECK_BYTES + more, letter);
  const [record] = (await emitter.encode([event])) as [WireRecord];
  expect(record.headers['ce_dataref'] !== undefined).toBe(checkedIn);
  if (checkedIn) {
    expect(record.value.length).toBeLessThan(300);
    expect((JSON.parse(record.value) as BlobRef).bytes).toBeGreaterThan(CLAIM_CHECK_BYTES);
  }
  const decoded = await decodeRecord(record, (ref) => blobs.get(ref));
  expect(decoded.event).toEqual(event);
});
