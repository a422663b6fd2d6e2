import { z } from 'zod';

const LOST = '__proto__';

/** Where a value has a key of that name, the path to it; undefined where it has none. Only own keys count. */
function pathToLostKey(value: unknown): PropertyKey[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key === LOST) return [key];
    const path = pathToLostKey(inner);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}

/**
 * A JSON object with any keys that a person writes. zod drops a key `__proto__` without a word, so that a value would come
 * back as another one: it is refused instead.
 */
export const JsonRecord = z.preprocess(
  (value, context) => {
    const path = pathToLostKey(value);
    if (path !== undefined) {
      const message = `${LOST} cannot be a name here; choose another`;
      context.addIssue({ code: 'custom', path, message, input: value });
    }
    return value;
  },
  z.record(z.string(), z.json()),
);

/**
 * What a program has written, a harness or a tool: it is recorded as it is, whatever its keys are, since refusing it would
 * make infrastructure of what a harness did, and zod's copy would not replay. `schema` is how it is shown to others.
 */
function verbatim<Schema extends z.ZodType>(parsed: Schema, message: string, schema: object) {
  const value = z.custom<z.output<Schema>>((given) => parsed.safeParse(given).success, message);
  value._zod.toJSONSchema = () => ({ ...schema });
  return value;
}

/** Any JSON value, verbatim. */
export const Json = verbatim(z.json(), 'expected JSON', {});

/** A JSON object with any keys, verbatim. */
export const JsonObject = verbatim(z.record(z.string(), z.json()), 'expected a JSON object', {
  type: 'object',
  propertyNames: { type: 'string' },
  additionalProperties: {},
});
