import { InputError } from '@whale/kernel';
import { z } from 'zod';
import { CLAIM_CHECK_BYTES, type WireRecord } from './envelope.ts';
import { formatIssues } from './format-issues.ts';
import { BlobRef } from './primitives.ts';
import { deadLetterTopic } from './topics.ts';

/** Where a record lies on the log. */
interface Place {
  topic: string;
  partition: number;
  offset: number;
}

export interface ParkingCause {
  /** The service that could not handle it. */
  service: string;
  code: string;
  message: string;
}

/** What the headers of a parked record say. */
export interface DeadLetter extends Place, ParkingCause {
  kind: 'parked';
  /** `<topic>/<partition>@<offset>` of the original. */
  coordinates: string;
  /** `<coordinates>:<service>`: two services may park the same record. */
  id: string;
  /** The headers of the original, without those of the dead letter. */
  headers: Readonly<Record<string, string>>;
}

/** The note of an operator that the original was put on the log again. */
export interface RetryNote {
  kind: 'retried';
  coordinates: string;
}

const PREFIX = 'whale-dlq-';
const RETRIED = `${PREFIX}retried`;
/** The value is a claim check for the whole original: key, headers and value. */
const CLAIMED = `${PREFIX}claim-check`;

const NUL = '\u0000';
const MOST_MESSAGE = 2_000;
/** What stays of an original that is too large for one record, in UTF-16 units: an entry of a header, all of them, the key. */
const MOST_HEADER = 1_024;
const MOST_HEADERS = 16 * 1_024;
const MOST_KEY = 1_024;

const Headers = z.object({
  [`${PREFIX}service`]: z.string(),
  [`${PREFIX}topic`]: z.string(),
  [`${PREFIX}partition`]: z.coerce.number().int().nonnegative(),
  [`${PREFIX}offset`]: z.coerce.number().int().nonnegative(),
  [`${PREFIX}code`]: z.string(),
  [`${PREFIX}message`]: z.string(),
});
const Original = z.strictObject({ key: z.string(), headers: z.record(z.string(), z.string()), value: z.string() });

export function coordinatesOf({ topic, partition, offset }: Place): string {
  return `${topic}/${partition}@${offset}`;
}

/**
 * The record that parks `record`: as it is, with headers that say where it lay and why it is parked. What is larger than
 * 256 KiB, or holds NUL, which PostgreSQL does not store, travels as a claim check that `put` takes in: so it can always
 * be parked and nothing of it is lost.
 */
export async function parkedRecord(
  record: WireRecord & Place,
  { service, code, message }: ParkingCause,
  put: (bytes: Uint8Array) => Promise<BlobRef>,
): Promise<WireRecord> {
  const why = {
    [`${PREFIX}service`]: service,
    [`${PREFIX}topic`]: record.topic,
    [`${PREFIX}partition`]: String(record.partition),
    [`${PREFIX}offset`]: String(record.offset),
    [`${PREFIX}code`]: code,
    [`${PREFIX}message`]: shortened(message, MOST_MESSAGE),
  };
  const topic = deadLetterTopic(record.topic);
  const { key, value } = record;
  const headers = originalHeaders(record.headers);
  const texts = [key, value, ...Object.entries(headers).flat()];
  if (bytesOf(texts) <= CLAIM_CHECK_BYTES && !texts.some((text) => text.includes(NUL))) {
    return { topic, key, headers: { ...headers, ...why }, value };
  }
  const ref = await put(new TextEncoder().encode(JSON.stringify({ key, headers, value })));
  return {
    topic,
    key: shortened(key, MOST_KEY),
    headers: { ...shortHeaders(headers), ...why, [CLAIMED]: ref.uri },
    value: JSON.stringify(ref),
  };
}

/** The note that follows a retry, for the dead letters' topic. */
export function retryRecord(letter: Pick<DeadLetter, 'topic' | 'coordinates'>, key: string): WireRecord {
  const { coordinates } = letter;
  return {
    topic: deadLetterTopic(letter.topic),
    key,
    headers: { 'content-type': 'application/json', [RETRIED]: coordinates },
    value: JSON.stringify({ retried: coordinates }),
  };
}

/** What a record on a topic of dead letters is; null when it is neither. */
export function readDeadLetter(record: Pick<WireRecord, 'headers'>): DeadLetter | RetryNote | null {
  const retried = record.headers[RETRIED];
  if (retried !== undefined) return { kind: 'retried', coordinates: retried };
  const parsed = Headers.safeParse(record.headers);
  if (!parsed.success) return null;
  const { data } = parsed;
  const place = {
    topic: data[`${PREFIX}topic`] as string,
    partition: data[`${PREFIX}partition`] as number,
    offset: data[`${PREFIX}offset`] as number,
  };
  const service = data[`${PREFIX}service`] as string;
  const coordinates = coordinatesOf(place);
  return {
    kind: 'parked',
    ...place,
    service,
    code: data[`${PREFIX}code`] as string,
    message: data[`${PREFIX}message`] as string,
    coordinates,
    id: `${coordinates}:${service}`,
    headers: originalHeaders(record.headers),
  };
}

/** The original of a parked record as it was. Rejects when its claim check cannot be resolved or holds something else. */
export async function originalRecord(
  letter: Pick<DeadLetter, 'topic' | 'headers'>,
  record: WireRecord,
  resolve: (ref: BlobRef) => Promise<Uint8Array>,
): Promise<WireRecord> {
  const { topic } = letter;
  if (record.headers[CLAIMED] === undefined) {
    return { topic, key: record.key, headers: letter.headers, value: record.value };
  }
  const ref = checked(BlobRef, JSON.parse(record.value), 'claim check');
  const text = new TextDecoder().decode(await resolve(ref));
  return { topic, ...checked(Original, JSON.parse(text), 'original') };
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new InputError(`the dead letter's ${what} is none\n${formatIssues(parsed.error, value)}`);
  return parsed.data;
}

function originalHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(PREFIX)));
}

function shortHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  let left = MOST_HEADERS;
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => {
      const length = name.length + value.length;
      if (length > MOST_HEADER || length > left || (name + value).includes(NUL)) return false;
      left -= length;
      return true;
    }),
  );
}

function shortened(text: string, most: number): string {
  const visible = text.replaceAll(NUL, '\u2400');
  return visible.length <= most ? visible : `${visible.slice(0, most - 1)}…`;
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
