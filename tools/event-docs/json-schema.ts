import { OLD_EVENTS, EVENTS, type EventDefinition } from '@whale/contracts';
import { z } from 'zod';

/** Every version of every event, by type. */
export const ALL_VERSIONS: readonly EventDefinition[] = [...(EVENTS as readonly EventDefinition[]), ...OLD_EVENTS].sort(
  (a, b) => (a.type < b.type ? -1 : 1),
);

export type JsonSchema = Record<string, unknown>;

/**
 * What may lie on a log as the value of an event, as JSON Schema draft 7, the dialect of AsyncAPI. A field with a
 * default may be missing: it came after the first records of this version.
 */
export function jsonSchemaOf({ type, summary, data }: EventDefinition): JsonSchema {
  const { $schema, ...schema } = plainSchema(data);
  return { $schema, $id: `urn:${type.replaceAll('.', ':')}`, title: type, description: summary, ...schema };
}

/** A schema without references and lists of types. Throws where zod makes one of more than "any JSON": it would have to be resolved. */
export function plainSchema(schema: z.ZodType): JsonSchema {
  const { definitions = {}, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  }) as JsonSchema & { definitions?: Record<string, JsonSchema> };
  for (const [name, definition] of Object.entries(definitions)) {
    if (!isAnyJson(definition)) throw new Error(`${name} is referred to: write it out in the schema`);
  }
  return simple(rest) as JsonSchema;
}

/** `z.json()` refers to itself; on a log of JSON it says nothing. */
function isAnyJson({ anyOf, ...rest }: JsonSchema): boolean {
  const types = Array.isArray(anyOf) ? (anyOf as JsonSchema[]).map(({ type }) => type) : [];
  return Object.keys(rest).length === 0 && types.join() === 'string,number,boolean,null,array,object';
}

/** Without references; and with types of a value as alternatives, since strict validators take a list for a slip. */
function simple(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simple);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return {};
  const { type: types, ...rest } = value as { type?: unknown };
  if (Array.isArray(types) && !types.includes('null')) {
    return simple({ anyOf: types.map((type) => ({ type })), ...rest });
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, simple(inner)]));
}
