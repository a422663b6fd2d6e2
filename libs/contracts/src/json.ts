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

/** zod drops a key `__proto__` without a word, so that a value would come back as another one: it is refused instead. */
function lossless<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value, context) => {
    const path = pathToLostKey(value);
    if (path !== undefined) {
      context.addIssue({
        code: 'custom',
        path,
        message: `${LOST} cannot be a name here; choose another`,
        input: value,
      });
    }
    return value;
  }, schema);
}

/** Any JSON value. */
export const Json = lossless(z.json());

/** A JSON object with any keys. */
export const JsonRecord = lossless(z.record(z.string(), z.json()));
