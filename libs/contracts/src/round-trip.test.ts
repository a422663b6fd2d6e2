import { canonicalJson } from '@whale/kernel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeRecord, encodeEvent, type EventContext } from './envelope.ts';
import { eventId, type EventDefinition } from './event-definition.ts';
import { EVENTS, eventDefinition } from './registry.ts';
import { arbitraryOf } from './support/arbitrary-of.ts';
import { TOPICS } from './topics.ts';

const context: EventContext = { source: 'whale/test', time: Date.UTC(2030, 0, 1), correlationId: 'x-1' };
const inline = () => Promise.reject(new Error('not a claim check'));
const definitions = EVENTS.map((event): [string, EventDefinition] => [event.type, event as EventDefinition]);

describe.each(definitions)('%s', (type, definition) => {
  const data = arbitraryOf(definition.data);

  test('goes over the log and comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        const record = encodeEvent(
          { type, data: value },
          { ...context, causationId: 'event-0', traceparent: '00-1-2-01' },
        );
        expect(record).toMatchObject({ topic: definition.topic, key: definition.key(value) });
        expect(record.value).toBe(canonicalJson(value));
        expect(record.headers).toMatchObject({
          'content-type': 'application/json',
          ce_specversion: '1.0',
          ce_type: type,
          ce_id: eventId(definition, value),
          ce_subject: definition.subject(value),
        });
        expect(await decodeRecord(JSON.parse(JSON.stringify(record)) as typeof record, inline)).toEqual({
          id: eventId(definition, value),
          source: 'whale/test',
          time: '2030-01-01T00:00:00.000Z',
          subject: definition.subject(value),
          correlationId: 'x-1',
          causationId: 'event-0',
          traceparent: '00-1-2-01',
          event: { type, data: value },
        });
      }),
      { numRuns: 25 },
    );
  });

  test('has no room for unknown keys, neither written nor read', async () => {
    const [value] = fc.sample(data, { numRuns: 1, seed: 1 }) as [object];
    const swollen = { ...value, zeal: 1 };
    expect(() => encodeEvent({ type, data: swollen }, context)).toThrow('zeal: unknown key');
    const record = { ...encodeEvent({ type, data: value }, context), value: JSON.stringify(swollen) };
    await expect(decodeRecord(record, inline)).rejects.toMatchObject({ code: 'EVENT_SCHEMA' });
  });

  test('is keyed as its topic says, and belongs to an experiment', () => {
    const [value] = fc.sample(data, { numRuns: 1, seed: 2 }) as [Record<string, unknown>];
    expect(definition.key(value)).toBe(value[TOPICS[definition.topic].key]);
    expect(typeof value['experimentId']).toBe('string');
    expect(definition.identity(value).length).toBeGreaterThan(0);
  });

  test('is found by its type, which ends in its version', () => {
    expect(eventDefinition(type)).toBe(definition);
    expect(type).toMatch(/^whale\.[a-z-]+\.[a-z-]+\.v[1-9]\d*$/);
    expect(definition.summary).toMatch(/^\p{Lu}.*\.$/su);
  });
});

test('no two events share a type, nor an id for the same data', () => {
  expect(new Set(EVENTS.map((event) => event.type)).size).toBe(EVENTS.length);
});

test('without a cause an event is its own', () => {
  const data = { experimentId: 'x', reason: 'enough' };
  const { headers } = encodeEvent({ type: 'whale.experiment.cancel-requested.v1', data }, context);
  expect(headers['ce_causationid']).toBe(headers['ce_id']);
  expect(headers).not.toHaveProperty('traceparent');
});
