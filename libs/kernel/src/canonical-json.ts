import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** RFC 8785 canonical JSON text of `value`. Throws TypeError for a value that JSON cannot carry. */
export function canonicalJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = (canonicalize as unknown as (input: unknown) => string | undefined)(value);
  } catch (cause) {
    throw new TypeError(`value has no JSON form: ${(cause as Error).message}`, { cause });
  }
  if (text === undefined) throw new TypeError('value has no JSON form');
  return text;
}

/** Lower-case hex sha256 of UTF-8 text or bytes. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** sha256 over the canonical JSON of `value`: equal for equal values, whatever the key order. */
export function canonicalHash(value: unknown): string {
  return sha256(canonicalJson(value));
}
