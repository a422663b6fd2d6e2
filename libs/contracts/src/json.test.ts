import { expect, test } from 'vitest';
import { Json, JsonRecord } from './json.ts';
import { parseSpec } from './parse-spec.ts';

const hostile = JSON.parse('{ "a": [1, { "__proto__": { "admin": true } }] }') as unknown;

test('a key that would be lost is refused, wherever it stands, with the path to it', () => {
  for (const schema of [Json, JsonRecord]) {
    expect(schema.safeParse(hostile).error?.issues).toMatchObject([{ path: ['a', '1', '__proto__'] }]);
    expect(schema.safeParse(JSON.parse('{ "__proto__": 1 }')).success).toBe(false);
  }
});

test('what else JSON can say comes out as it went in', () => {
  const value = { constructor: 1, prototype: [null, 'x'], toString: { hasOwnProperty: false } };
  expect(Json.parse(value)).toEqual(value);
  expect(JsonRecord.parse(value)).toEqual(value);
  expect(JsonRecord.safeParse([]).success).toBe(false);
});

test('an option of that name in a spec is told', () => {
  const spec = { name: 'x', domain: { name: 'd', dataset: 's', options: hostile }, strategy: { kind: 'weight-only' } };
  expect(() => parseSpec(spec, 'spec.yaml')).toThrow('domain.options.a.1.__proto__: __proto__ cannot be a name here');
});
