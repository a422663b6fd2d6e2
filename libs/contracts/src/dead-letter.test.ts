import { expect, test } from 'vitest';
import { originalRecord, parkedRecord, readDeadLetter, retryRecord } from './dead-letter.ts';
import type { WireRecord } from './envelope.ts';
import type { BlobRef } from './primitives.ts';

const CAUSE = { service: 'archive', code: 'EVENT_SCHEMA', message: 'does not fit' };
const record: WireRecord & { partition: number; offset: number } = {
  topic: 'whale.rollouts.v1',
  partition: 3,
  offset: 17,
  key: 'rollout-1',
  headers: { ce_id: 'event-1', ce_type: 'whale.rollout.completed.v1', colour: 'blue' },
  value: '{"half":',
};

/** Parks a record and takes it out again. */
async function through(original: typeof record, cause = CAUSE) {
  const kept = new Map<string, Uint8Array>();
  const put = async (bytes: Uint8Array): Promise<BlobRef> => {
    const ref = { uri: `blob:${kept.size}`, sha256: 'a'.repeat(64), bytes: bytes.byteLength };
    kept.set(ref.uri, bytes);
    return ref;
  };
  const parked = await parkedRecord(original, cause, put);
  const letter = readDeadLetter(parked);
  if (letter?.kind !== 'parked') throw new Error('no dead letter');
  const back = await originalRecord(letter, parked, async ({ uri }) => kept.get(uri) as Uint8Array);
  return { parked, letter, back, blobs: kept.size };
}

function wire({ topic, key, headers, value }: typeof record): WireRecord {
  return { topic, key, headers, value };
}

test('a dead letter says where the original lay, who parked it and why, and holds it', async () => {
  const { parked, letter, back, blobs } = await through(record);
  expect(parked).toMatchObject({ topic: 'whale.rollouts.v1.dlq', key: 'rollout-1', value: '{"half":' });
  expect(letter).toEqual({
    kind: 'parked',
    ...CAUSE,
    topic: 'whale.rollouts.v1',
    partition: 3,
    offset: 17,
    coordinates: 'whale.rollouts.v1/3@17',
    id: 'whale.rollouts.v1/3@17:archive',
    headers: record.headers,
  });
  expect(back).toEqual(wire(record));
  expect(blobs).toBe(0);
});

test.each<[string, typeof record]>([
  ['2 MB of value', { ...record, value: 'é'.repeat(1 << 20) }],
  ['2 MB of one header', { ...record, headers: { ...record.headers, large: 'x'.repeat(1 << 21) } }],
  [
    '10,000 headers',
    {
      ...record,
      headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`h${i}`, 'x'.repeat(50)])),
    },
  ],
  ['2 MB of key', { ...record, key: 'k'.repeat(1 << 21) }],
  ['NUL in the value', { ...record, value: 'a\u0000b' }],
  ['NUL in key and headers', { ...record, key: 'a\u0000', headers: { ...record.headers, nul: '\u0000' } }],
])('%s: the dead letter is small and free of NUL, and nothing is lost', async (_, original) => {
  const { parked, back, letter, blobs } = await through(original, { ...CAUSE, message: `a\u0000${'x'.repeat(9_999)}` });
  expect(Buffer.byteLength(JSON.stringify(parked))).toBeLessThan(64 * 1024);
  expect(JSON.stringify(parked)).not.toContain('\\u0000');
  expect(letter.message).toMatch(/^a\u2400x+…$/);
  expect(back).toEqual(wire(original));
  expect(blobs).toBe(1);
});

test('a record that was parked before loses the old cause', async () => {
  const { parked } = await through(record);
  const again = await through({ ...record, headers: { ...parked.headers, ...record.headers }, offset: 99 });
  expect(again.letter).toMatchObject({ offset: 99, headers: record.headers });
});

test('a retry is noted by coordinates; what is neither is neither', () => {
  const note = retryRecord({ topic: 'whale.rollouts.v1', coordinates: 'whale.rollouts.v1/3@17' }, 'rollout-1');
  expect(note).toMatchObject({ topic: 'whale.rollouts.v1.dlq', key: 'rollout-1' });
  expect(readDeadLetter(note)).toEqual({ kind: 'retried', coordinates: 'whale.rollouts.v1/3@17' });
  expect(readDeadLetter({ headers: {} })).toBeNull();
  expect(readDeadLetter({ headers: { 'whale-dlq-topic': 'x', 'whale-dlq-offset': 'minus one' } })).toBeNull();
});
