import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import { TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readExample, readExperiment, readManifest, type FrozenRecord } from './corpus.ts';

const docs = join(import.meta.dirname, '../../docs');
const manifest = readManifest();
const types = Object.keys(manifest.events);
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as AnySchema;
const valueOf = ({ claim, value }: FrozenRecord) => JSON.parse(claim ?? value) as Record<string, unknown>;

const ajv = new Ajv({ strict: true, validateFormats: false });
const schemas = new Map<string, ValidateFunction>(
  types.map((type) => [type, ajv.compile(readJson(join(docs, 'schemas', `${type}.json`)))]),
);
function complaints(type: string, value: unknown): string | null {
  const validate = schemas.get(type) as ValidateFunction;
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

describe.each(types)('the JSON Schema of %s', (type) => {
  const example = valueOf(readExample(type));

  test('lets its example through', () => {
    expect(complaints(type, example)).toBeNull();
  });

  test('has no room for what is no such event', () => {
    const { experimentId: _lacking, ...rest } = example;
    expect(complaints(type, rest)).toMatch(/required property 'experimentId'/);
    expect(complaints(type, { ...example, zeal: 1 })).toMatch(/additional properties/);
    expect(complaints(type, { ...example, experimentId: 7 })).toMatch(/experimentId must be string/);
  });
});

test.each(Object.keys(manifest.experiments))('all records of %s fit the JSON Schema that they name', (name) => {
  for (const record of readExperiment(name)) {
    expect(complaints(record.headers['ce_type'] as string, valueOf(record))).toBeNull();
  }
});

interface Operation {
  action: string;
  channel: { $ref: string };
  messages: { $ref: string }[];
  tags: { name: string }[];
}
interface Message {
  payload: AnySchema;
  headers: { properties: object };
  examples: { headers: unknown; payload: unknown }[];
}
interface AsyncApi {
  channels: Record<string, { address: string; messages: Record<string, { $ref: string }> }>;
  operations: Record<string, Operation>;
  components: { messages: Record<string, Message>; messageTraits: { cloudEvent: { headers: { properties: object } } } };
}

describe('the AsyncAPI document', () => {
  let document: AsyncApi;
  beforeAll(() => {
    document = parse(readFileSync(join(docs, 'asyncapi.yaml'), 'utf8')) as AsyncApi;
  });

  test('is AsyncAPI 3.0, by the schema of AsyncAPI', () => {
    const official = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
    // It holds draft 7 itself, so Ajv must not bring its own.
    const lenient = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const validate = lenient.compile(readJson(official));
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(validate({ ...document, channels: { x: { address: 7 } } })).toBe(false);
  });

  test('refers to nothing that is not there', () => {
    const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] as string);
    expect(pointers.length).toBeGreaterThan(100);
    for (const pointer of pointers) {
      const found = pointer.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
      expect(found, pointer).toBeDefined();
    }
  });

  test('has one writer for each topic', () => {
    for (const topic of TOPIC_NAMES) {
      const writers = Object.values(document.operations).filter(
        ({ action, channel }) => action === 'send' && channel.$ref === `#/channels/${topic}`,
      );
      expect(writers.map(({ tags }) => tags[0]?.name)).toEqual([TOPICS[topic].writer]);
    }
  });

  test('shows old versions on their topic, and nobody who writes them', () => {
    const old = '#/channels/whale.weights.v1/messages/whale.weights.updated.v1';
    expect(Object.keys(document.channels['whale.weights.v1']?.messages ?? {})).toContain('whale.weights.updated.v1');
    for (const { messages } of Object.values(document.operations)) expect(messages).not.toContainEqual({ $ref: old });
  });

  test.each(types)('has an example of %s that fits its payload and headers', (type) => {
    const { payload, headers, examples } = document.components.messages[type] as Message;
    expect(new Ajv({ strict: false, validateFormats: false }).validate(payload, examples[0]?.payload)).toBe(true);
    const { headers: common } = document.components.messageTraits.cloudEvent;
    const merged = { ...common, properties: { ...common.properties, ...headers.properties } };
    const validator = new Ajv({ strict: false, validateFormats: false });
    expect(validator.validate(merged, examples[0]?.headers), validator.errorsText()).toBe(true);
    expect(validator.validate(merged, { ...(examples[0]?.headers as object), ce_type: 'whale.x.y.v1' })).toBe(false);
  });
});
