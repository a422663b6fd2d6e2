import { canonicalJson } from '@whale/kernel';
import { ContractError } from './contract-error.ts';
import { eventId, type DomainEvent } from './event-definition.ts';
import { formatIssues } from './format-issues.ts';
import { BlobRef } from './primitives.ts';
import { eventVersions, type AnyEvent } from './registry.ts';

/** CloudEvents 1.0 in Kafka binary mode: attributes as `ce_*` headers, the data as the JSON value. */
export interface WireRecord {
  topic: string;
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}

export interface EventContext {
  /** The writer, e.g. `whale/scheduler`. */
  source: string;
  /** Milliseconds since epoch. For people: no decision reads it. */
  time: number;
  /** The experiment. */
  correlationId: string;
  /** Id of the event that led to this one; its own id when nothing did. */
  causationId?: string | undefined;
  traceparent?: string | undefined;
}

export interface EventEnvelope<Event extends DomainEvent = AnyEvent> {
  id: string;
  source: string;
  time: string;
  subject: string;
  correlationId: string;
  causationId: string;
  traceparent: string | undefined;
  event: Event;
}

/** A value over this many bytes travels as a claim check (DESIGN §3). */
export const CLAIM_CHECK_BYTES = 256 * 1024;

/** Ids become keys and headers of the log and keys of the stores, which all have limits. UTF-16 units. */
const MOST_NAME = 1_024;

/**
 * Validates and wraps an event. Throws ContractError when the data do not fit the schema or the version is an old one: a
 * bug of the writer.
 */
export function encodeEvent(event: DomainEvent, context: EventContext): WireRecord {
  const { definition, data: valid } = eventVersions.toWrite(event);
  const data = valid as never;
  const id = eventId(definition, data);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: context.source,
    ce_type: event.type,
    ce_subject: definition.subject(data),
    ce_time: new Date(context.time).toISOString(),
    ce_correlationid: context.correlationId,
    ce_causationid: context.causationId ?? id,
  };
  if (context.traceparent) headers['traceparent'] = context.traceparent;
  const key = definition.key(data);
  for (const name of [key, ...Object.values(headers)]) checkName(name, event.type, 'EVENT_SCHEMA');
  return { topic: definition.topic, key, headers, value: canonicalJson(data) };
}

/**
 * Parses a record by the schema it was written under and leads it to the newest version of its event; all of the envelope
 * stays as it was, the id too. Throws ContractError for what cannot be an event of this topic; the consumer parks it.
 * `resolve` reads a claim check.
 */
export async function decodeRecord(
  record: WireRecord,
  resolve: (ref: BlobRef) => Promise<Uint8Array>,
): Promise<EventEnvelope> {
  const header = (name: string): string => {
    const value = record.headers[name];
    if (value === undefined || value === '') {
      throw new ContractError('EVENT_MALFORMED', `the record on ${record.topic} lacks the header ${name}`);
    }
    checkName(value, name, 'EVENT_MALFORMED');
    return value;
  };
  const type = header('ce_type');
  const definition = eventVersions.writtenUnder(type);
  if (definition.topic !== record.topic) {
    throw new ContractError('EVENT_TOPIC', `${type} belongs on ${definition.topic}, not on ${record.topic}`);
  }
  let value = parseJson(record.value, type);
  if (record.headers['ce_dataref'] !== undefined) {
    const ref = BlobRef.safeParse(value);
    if (!ref.success)
      throw new ContractError('EVENT_SCHEMA', `${type}: bad claim check\n${formatIssues(ref.error, value)}`);
    value = parseJson(new TextDecoder().decode(await resolve(ref.data)), type);
  }
  const event = eventVersions.upcast(definition, value) as AnyEvent;
  for (const name of namesIn(event)) checkName(name, type, 'EVENT_SCHEMA');
  const { traceparent = '' } = record.headers;
  return {
    id: header('ce_id'),
    source: header('ce_source'),
    time: timestamp(header('ce_time'), type),
    subject: header('ce_subject'),
    correlationId: header('ce_correlationid'),
    causationId: header('ce_causationid'),
    // For observers only: one that cannot be is passed over.
    traceparent: traceparent === '' || traceparent.length > MOST_NAME ? undefined : traceparent,
    event,
  };
}

/** What an event hands on to keys and headers of the events that follow from it. */
function namesIn(event: AnyEvent): string[] {
  const definition = eventVersions.newest(event.type);
  const data = event.data as never;
  return definition ? [definition.key(data), definition.subject(data), event.data.experimentId] : [];
}

/** Why a text can be no id, key or header of an event; null when it can. */
export function problemOfName(name: string): string | null {
  if (name.length > MOST_NAME) return `has ${name.length} characters, more than ${MOST_NAME}`;
  return name.includes('\0') ? 'holds NUL' : null;
}

function checkName(name: string, where: string, code: 'EVENT_MALFORMED' | 'EVENT_SCHEMA'): void {
  const problem = problemOfName(name);
  if (problem !== null) throw new ContractError(code, `${where}: "${name.slice(0, 40)}…" ${problem}`);
}

/** A clock may be years off: no decision reads the time. But it must be one, or durations would come out as NaN. */
function timestamp(text: string, type: string): string {
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new ContractError('EVENT_MALFORMED', `${type}: ce_time is no RFC 3339 time but "${text.slice(0, 40)}"`);
}

function parseJson(text: string, type: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ContractError('EVENT_MALFORMED', `${type}: the value is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}
