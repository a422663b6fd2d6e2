import { expect, test } from 'vitest';
import { Json, JsonObject, JsonRecord } from './json.ts';
import { EffectRecord } from './trajectory.ts';
import { parseSpec } from './parse-spec.ts';

const hostile = JSON.parse('{ "a": [1, { "__proto__": { "admin": true } }] }') as unknown;

test('a key that would be lost is refused to a person, wherever it stands, with the path to it', () => {
  expect(JsonRecord.safeParse(hostile).error?.issues).toMatchObject([{ path: ['a', '1', '__proto__'] }]);
  expect(JsonRecord.safeParse(JSON.parse('{ "__proto__": 1 }')).success).toBe(false);
});

test('what else JSON can say comes out as it went in', () => {
  const value = { constructor: 1, prototype: [null, 'x'], toString: { hasOwnProperty: false } };
  expect(Json.parse(value)).toEqual(value);
  expect(JsonObject.parse(value)).toEqual(value);
  expect(JsonRecord.parse(value)).toEqual(value);
  expect(JsonRecord.safeParse([]).success).toBe(false);
  expect(JsonObject.safeParse([]).success).toBe(false);
  expect(Json.safeParse(undefined).success).toBe(false);
});

test('what a harness yields and a tool gives is recorded as it is, also under such a key', () => {
  const record = { effect: { type: 'tool', name: 'x', args: hostile }, result: hostile };
  expect(JSON.stringify(EffectRecord.parse(record))).toBe(JSON.stringify(record));
});

test('an option of that name in a spec is told', () => {
  const spec = { name: 'x', domain: { name: 'd', dataset: 's', options: hostile }, strategy: { kind: 'weight-only' } };
  expect(() => parseSpec(spec, 'spec.yaml')).toThrow('domain.options.a.1.__proto__: __proto__ cannot be a name here');
});
