/**
 * The 32-bit murmur2 of Kafka's Java client (`Utils.murmur2`), as a signed integer. Chosen because Kafka's default
 * partitioner uses it: a key lands in the same partition on both logs, so a log can be copied from one to the other.
 */
export function murmur2(data: Uint8Array): number {
  const m = 0x5bd1e995;
  const length = data.length;
  const view = new DataView(data.buffer, data.byteOffset, length);
  let h = 0x9747b28c ^ length;
  const whole = length & ~3;
  for (let i = 0; i < whole; i += 4) {
    let k = Math.imul(view.getInt32(i, true), m);
    k = Math.imul(k ^ (k >>> 24), m);
    h = Math.imul(h, m) ^ k;
  }
  const rest = length - whole;
  if (rest >= 3) h ^= view.getUint8(whole + 2) << 16;
  if (rest >= 2) h ^= view.getUint8(whole + 1) << 8;
  if (rest >= 1) h = Math.imul(h ^ view.getUint8(whole), m);
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
}

const encoder = new TextEncoder();

/** The partition of a key: murmur2 of its UTF-8 bytes without the sign bit, modulo the number of partitions. */
export function partitionForKey(key: string, partitions: number): number {
  return (murmur2(encoder.encode(key)) & 0x7fffffff) % partitions;
}
