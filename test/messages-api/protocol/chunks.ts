/** Sizes of the chunks in bytes, in turn: lines and numbers are cut anywhere. */
const SIZES = [1, 613, 7, 1021, 89, 2048];

/** The bytes in chunks of odd sizes. Every chunk that holds a character of more than one byte ends inside it. */
export function oddChunks(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const chunk = bytes.subarray(at, at + (SIZES[chunks.length % SIZES.length] ?? 1));
    const inside = chunk.findIndex((byte, place) => place > 0 && (byte & 0xc0) === 0x80);
    const length = inside === -1 ? chunk.length : inside;
    chunks.push(chunk.subarray(0, length));
    at += length;
  }
  return chunks;
}
