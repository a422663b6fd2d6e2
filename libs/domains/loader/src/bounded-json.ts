class TooLarge extends Error {}

/**
 * JSON.stringify, or null where that has more than `most` bytes; throws as it does. What is far too large is not written
 * first: the results of many rollouts at once would hold the process for as long as that takes.
 */
export function boundedJson(value: unknown, most: number): string | null | undefined {
  // Never more than the bytes: a character has one at least.
  let bytes = 0;
  function count(this: unknown, key: string, inner: unknown): unknown {
    if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') return inner;
    bytes += (Array.isArray(this) ? 0 : key.length) + (typeof inner === 'string' ? inner.length : 1);
    if (bytes > most) throw new TooLarge();
    return inner;
  }
  try {
    const text = JSON.stringify(value, count) as string | undefined;
    return text === undefined || Buffer.byteLength(text) <= most ? text : null;
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}
