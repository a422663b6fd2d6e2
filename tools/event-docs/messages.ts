import { BlobRef, latestType, type EventDefinition } from '@whale/contracts';
import type { FrozenRecord } from '../../test/histories/corpus.ts';
import { jsonSchemaOf, plainSchema, type JsonSchema } from './json-schema.ts';

const text = (description: string): JsonSchema => ({ type: 'string', minLength: 1, description });
const always = (value: string): JsonSchema => ({ type: 'string', const: value });

/** CloudEvents 1.0 in Kafka binary mode: the attributes are headers. */
const CLOUD_EVENT_HEADERS: JsonSchema = {
  type: 'object',
  required: [
    'content-type',
    'ce_specversion',
    'ce_id',
    'ce_source',
    'ce_type',
    'ce_subject',
    'ce_time',
    'ce_correlationid',
    'ce_causationid',
  ],
  properties: {
    'content-type': always('application/json'),
    ce_specversion: always('1.0'),
    ce_id: text(
      'Deterministic: the same decision on the same inputs has the same id, in every version. Deduplicate by it.',
    ),
    ce_source: text('The writer, e.g. whale/scheduler.'),
    ce_type: text('The event and its version.'),
    ce_subject: text('What the event is about: a rollout, a step, a phase, …'),
    ce_time: {
      ...text('When it was written, ISO 8601 in UTC. For people: no decision reads it.'),
      format: 'date-time',
    },
    ce_correlationid: text('The experiment.'),
    ce_causationid: text('ce_id of the event that led to this one; its own where none did.'),
    ce_dataref: text('Only with a value over 256 KiB: its place in the blob store. The value is a claim check then.'),
    traceparent: text('W3C trace context.'),
  },
};

const DEAD_LETTER_HEADERS: JsonSchema = {
  type: 'object',
  required: ['service', 'topic', 'partition', 'offset', 'code', 'message'].map((name) => `whale-dlq-${name}`),
  properties: {
    'whale-dlq-service': text('The service that could not handle the record.'),
    'whale-dlq-topic': text('Where the record lay.'),
    'whale-dlq-partition': { ...text('Where the record lay.'), pattern: '^\\d+$' },
    'whale-dlq-offset': { ...text('Where the record lay.'), pattern: '^\\d+$' },
    'whale-dlq-code': text('Why, for programs: EVENT_MALFORMED, EVENT_SCHEMA, EVENT_VERSION_NEWER, …'),
    'whale-dlq-message': { type: 'string', description: 'Why, for people.' },
    'whale-dlq-claim-check': text('Only with a record over 256 KiB: the value is a claim check for all of it.'),
  },
};

export const MESSAGE_TRAITS = { cloudEvent: { contentType: 'application/json', headers: CLOUD_EVENT_HEADERS } };

export const CLAIM_CHECK: JsonSchema = {
  title: 'Claim check',
  description: 'Stands for a value over 256 KiB: where its bytes lie, and what they must hash to.',
  ...plainSchema(BlobRef),
};

/** `key` is the name of the field that the record is keyed by. */
export function eventMessage(definition: EventDefinition, key: string, example: FrozenRecord): JsonSchema {
  const { type, summary } = definition;
  const { $schema: _draft7, $id: _urn, ...payload } = jsonSchemaOf(definition);
  const newest = latestType(type);
  return {
    name: type,
    title: type,
    summary,
    ...(newest !== type && {
      description: `An old version: it is read, as ${newest}, and not written any more.`,
      'x-superseded-by': newest,
    }),
    traits: [{ $ref: '#/components/messageTraits/cloudEvent' }],
    headers: { type: 'object', properties: { ce_type: always(type) } },
    correlationId: { location: '$message.header#/ce_correlationid' },
    payload,
    bindings: { kafka: { key: text(`The field ${key}.`), bindingVersion: '0.5.0' } },
    examples: [{ headers: example.headers, payload: JSON.parse(example.claim ?? example.value) as unknown }],
  };
}

export const DEAD_LETTER: JsonSchema = {
  name: 'dead-letter',
  title: 'A record that a service could not handle',
  summary: 'The record as it was, under headers that say where it lay and why it is parked.',
  headers: DEAD_LETTER_HEADERS,
  payload: {},
  bindings: { kafka: { key: { type: 'string', description: 'As the record had it.' }, bindingVersion: '0.5.0' } },
};
