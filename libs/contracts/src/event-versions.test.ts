import { expect, test } from 'vitest';
import { z } from 'zod';
import { decodeRecord, encodeEvent, type WireRecord } from './envelope.ts';
import { defineEvent, eventId, type EventDefinition } from './event-definition.ts';
import { EventVersions } from './event-versions.ts';
import { WeightsUpdatedV1 } from './events/weights-updated.v1.ts';
import { WeightsUpdated } from './events/weights-updated.v2.ts';
import { eventDefinition, latestType, OLD_EVENTS, type AnyEvent } from './registry.ts';
import { defineUpcaster, type Upcaster } from './upcaster.ts';

function version<Data extends z.ZodType>(type: string, data: Data) {
  return defineEvent({
    type,
    topic: 'whale.weights.v1',
    summary: 'A test.',
    key: () => 'x',
    subject: () => 'x',
    identity: () => ['x'],
    data,
  });
}
const asAny = (definition: unknown) => definition as EventDefinition;

const V1 = version('whale.tea.drunk.v1', z.strictObject({ cups: z.string() }));
const V2 = version('whale.tea.drunk.v2', z.strictObject({ cups: z.int() }));
const V3 = version('whale.tea.drunk.v3', z.strictObject({ cups: z.int().nonnegative(), sugar: z.int().nullable() }));
const from1 = defineUpcaster(V1, V2, ({ cups }) => ({ cups: Number(cups) }));
const from2 = defineUpcaster(V2, V3, ({ cups }) => ({ cups, sugar: null }));
const tea = new EventVersions([asAny(V3)], [from2, from1]);
const read = (type: string, value: unknown) => tea.upcast(tea.writtenUnder(type), value);

test('old data go through every version to the newest', () => {
  const newest = { type: 'whale.tea.drunk.v3', data: { cups: 2, sugar: null } };
  expect(read('whale.tea.drunk.v1', { cups: '2' })).toEqual(newest);
  expect(read('whale.tea.drunk.v2', { cups: 2 })).toEqual(newest);
  expect(read('whale.tea.drunk.v3', { cups: 2, sugar: null })).toEqual(newest);
});

test('U2: what does not fit the version that it says it is, or the one that it becomes, is refused', () => {
  const refusal = (type: string, value: unknown) => {
    try {
      return read(type, value);
    } catch (error) {
      expect(error).toMatchObject({ code: 'EVENT_SCHEMA', retryable: false });
      return (error as Error).message;
    }
  };
  expect(refusal('whale.tea.drunk.v1', { cups: 2 })).toMatch(/^whale\.tea\.drunk\.v1 does not fit its schema\n.*cups/);
  expect(refusal('whale.tea.drunk.v1', { cups: '2', sugar: 1 })).toContain('sugar: unknown key');
  expect(refusal('whale.tea.drunk.v1', { cups: 'some' })).toContain('v2, upcast from whale.tea.drunk.v1, does not fit');
  expect(refusal('whale.tea.drunk.v2', { cups: -1 })).toContain('v3, upcast from whale.tea.drunk.v2, does not fit');
});

const other = version('whale.coffee.drunk.v2', V2.data);
const elsewhere = asAny({ ...V2, topic: 'whale.schedule.v1' });
test.each<[string, unknown[], Upcaster[], RegExp]>([
  ['two newest versions', [V2, V3], [], /two newest/],
  ['no way from v1', [V3], [from2], /nothing leads from whale\.tea\.drunk\.v1/],
  ['no way on from v2', [V1], [{ ...from1, from: asAny(version('whale.tea.drunk.v0', V1.data)) }], /next version/],
  ['two ways', [V3], [from2, from1, from1], /upcast twice/],
  ['a way from the newest', [V2], [from1, from2], /either the newest/],
  ['a way that skips a version', [V3], [{ ...from1, to: asAny(V3) }, from2], /not to the next version/],
  ['a way to another event', [other], [{ ...from1, to: asAny(other) }], /not to the next version/],
  ['a way to another topic', [elsewhere], [{ ...from1, to: elsewhere }], /on another topic/],
  ['a way that ends', [version('whale.tea.brewed.v1', V1.data)], [from1], /leads on to the newest/],
])('U1: %s is no registry', (_, newest, upcasters, message) => {
  expect(() => new EventVersions(newest.map(asAny), upcasters)).toThrow(message);
});

const data = {
  experimentId: 'e',
  stepId: 's1',
  step: 1,
  previous: 'w0',
  weights: { uri: 'blob:sha256/0', sha256: '0'.repeat(64), bytes: 3, version: 'w1' },
  changed: true,
  optimizer: null,
  samples: 4,
  loss: 0.5,
  tokens: { trained: 8, processed: 32 },
};
const inline = () => Promise.reject(new Error('not a claim check'));
const context = { source: 'whale/trainer-gateway', time: 0, correlationId: 'e', causationId: 'event-0' };
const now = encodeEvent({ type: WeightsUpdated.type, data: { ...data, batches: 3 } }, context);
const before: WireRecord = {
  ...now,
  headers: { ...now.headers, ce_type: WeightsUpdatedV1.type },
  value: JSON.stringify(data),
};

test('a record of an old version is read as the newest, in the envelope that it came in', async () => {
  const envelope = await decodeRecord(before, inline);
  expect(envelope).toEqual({
    ...(await decodeRecord(now, inline)),
    event: { type: WeightsUpdated.type, data: { ...data, batches: null } },
  });
  expect(envelope.id).toBe(eventId(asAny(WeightsUpdatedV1), data));
  const idle = { ...before, value: JSON.stringify({ ...data, changed: false, samples: 0, loss: null }) };
  expect((await decodeRecord(idle, inline)).event.data).toMatchObject({ batches: 0 });
});

test('all versions of an event have the same id', () => {
  expect(eventId(asAny(WeightsUpdated), data)).toBe(eventId(asAny(WeightsUpdatedV1), data));
  expect(eventId(asAny(WeightsUpdatedV1), data)).toBe('event-0bbc17ea34d4abbefb0b3ff9');
});

test('U3: an old version is not written', () => {
  // @ts-expect-error: nor does it compile where events are typed.
  const event: AnyEvent = { type: WeightsUpdatedV1.type, data };
  expect(() => encodeEvent(event, context)).toThrow(
    'v1 is an old version that is only read: write whale.weights.updated.v2',
  );
  for (const { type } of OLD_EVENTS) expect(eventDefinition(type)).toBeUndefined();
});

test('consumers know an event by its newest version, whatever version a header names', () => {
  for (const n of [1, 2, 9]) expect(latestType(`whale.weights.updated.v${n}`)).toBe(WeightsUpdated.type);
  for (const type of ['', 'v1', 'whale.nobody.knows.v1', 'whale.weights.updated']) expect(latestType(type)).toBe(type);
});
