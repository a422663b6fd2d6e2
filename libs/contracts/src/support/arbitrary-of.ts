import fc from 'fast-check';
import { z } from 'zod';

interface JsonSchema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  minItems?: number;
  pattern?: string;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  $ref?: string;
}

/** Any value that a schema lets through, as it comes out of it: the schemas are the one source, also of test data. */
export function arbitraryOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  // Through JSON once, since −0 and the like do not survive the log.
  return (
    arbitrary(z.toJSONSchema(schema, { io: 'output' }) as JsonSchema)
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
      // What refinements forbid, JSON Schema does not say.
      .filter((value) => schema.safeParse(value).success)
  );
}

function arbitrary(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return fc.oneof(...union.map(arbitrary));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => arbitrary({ ...schema, type })));
  switch (schema.type) {
    case 'object':
      return object(schema);
    case 'array':
      if (schema.prefixItems) return fc.tuple(...schema.prefixItems.map(arbitrary));
      return fc.array(arbitrary(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case 'string':
      if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
      return fc.string({ unit: 'grapheme', minLength: schema.minLength ?? 0 });
    case 'integer': {
      const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1_000 : schema.exclusiveMinimum + 1);
      return fc.integer({ min: Math.max(least, -1_000_000), max: Math.min(schema.maximum ?? 1_000_000, 1_000_000) });
    }
    case 'number': {
      const min = schema.exclusiveMinimum === undefined ? (schema.minimum ?? -1e9) : schema.exclusiveMinimum + 1e-6;
      return fc.double({ min, max: schema.maximum ?? 1e9, noNaN: true });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      // `z.json()`: anything.
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function object({ properties = {}, required = [], additionalProperties }: JsonSchema): fc.Arbitrary<unknown> {
  if (typeof additionalProperties === 'object') {
    const key = fc.string().filter((name) => name !== '__proto__');
    return fc.dictionary(key, arbitrary(additionalProperties), { maxKeys: 3, noNullPrototype: true });
  }
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, arbitrary(schema)]));
  return fc.record(fields, { requiredKeys: required, noNullPrototype: true } as never);
}
