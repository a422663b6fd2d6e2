import type { IHeaders, KafkaMessage, Message } from 'kafkajs';
import type { AppendRecord, LogRecord } from '@whale/event-log';

/** Bytes that a record takes besides its texts, at most. */
const OVERHEAD = 64;
/** A batch of 1 MB may be unpacked to a thousand times as much, and no text may have more than half a GB. */
const LONGEST_TEXT_BYTES = 64 << 20;

export function toMessage({ key, value, headers }: AppendRecord): Message {
  return { key: Buffer.from(key), value: Buffer.from(value), headers: { ...headers } };
}

/** Bytes of a record before compression. */
export function bytesOf({ key, value, headers }: AppendRecord): number {
  let bytes = OVERHEAD + Buffer.byteLength(key) + Buffer.byteLength(value);
  for (const [name, text] of Object.entries(headers)) bytes += 2 + Buffer.byteLength(name) + Buffer.byteLength(text);
  return bytes;
}

/** In pieces of at most `most` bytes, or of one record that has more. */
export function* cut(records: readonly AppendRecord[], most: number): Generator<AppendRecord[]> {
  let piece: AppendRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = bytesOf(record);
    if (piece.length > 0 && bytes + size > most) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(record);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

/**
 * Whatever lies on the topic, also what a foreign writer has put there: nothing is '', bytes that are no UTF-8 become
 * replacement characters, of a header given twice the last counts. Whoever handles it will find it to be no event.
 */
export function toRecord(topic: string, partition: number, message: KafkaMessage): LogRecord {
  return {
    topic,
    partition,
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: textOf(message.key),
    value: textOf(message.value),
    headers: headersOf(message.headers),
  };
}

function headersOf(headers: IHeaders | undefined): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {}))
    texts[name] = textOf(Array.isArray(value) ? value.at(-1) : value);
  return texts;
}

function textOf(bytes: Buffer | string | null | undefined): string {
  if (bytes && bytes.length > LONGEST_TEXT_BYTES) return `(${bytes.length} bytes, more than a record may have)`;
  return bytes?.toString() ?? '';
}
