import type { WireRecord } from '@whale/contracts';
import { sha256 } from '@whale/kernel';
import { request } from '../support/echo-service.ts';
import { recordOf } from '../support/records.ts';

/**
 * Two MB: eight times what may travel outside a claim check, twice what a broker takes by default. Chance, so that
 * compression does not make it small.
 */
const LARGE = largeText(2 * 1024 * 1024);

/** What somebody does to a sound record. */
type Spoil = (sound: WireRecord) => WireRecord;

const value =
  (text: string): Spoil =>
  (sound) => ({ ...sound, value: text });
const data =
  (change: Readonly<Record<string, unknown>>): Spoil =>
  (sound) => ({ ...sound, value: JSON.stringify({ ...(JSON.parse(sound.value) as object), ...change }) });
const headers =
  (change: Readonly<Record<string, string>>): Spoil =>
  (sound) => ({ ...sound, headers: { ...sound.headers, ...change } });
const without =
  (name: string): Spoil =>
  (sound) => ({
    ...sound,
    headers: Object.fromEntries(Object.entries(sound.headers).filter(([header]) => header !== name)),
  });

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const MISSING = '0'.repeat(64);
const REQUIRED = ['ce_type', 'ce_id', 'ce_source', 'ce_time', 'ce_subject', 'ce_correlationid', 'ce_causationid'];

/** Records that no service can handle: what is done to a sound one, the code of the cause, a part of its message. */
export const POISON: readonly (readonly [what: string, spoil: Spoil, code: string, message: RegExp])[] = [
  ['half an object', value('{"half":'), 'EVENT_MALFORMED', /not JSON/],
  ['no value', value(''), 'EVENT_MALFORMED', /not JSON/],
  ['another format', value('<event id="1"/>'), 'EVENT_MALFORMED', /not JSON/],
  ['a byte order mark', (sound) => ({ ...sound, value: `\ufeff${sound.value}` }), 'EVENT_MALFORMED', /not JSON/],
  ['NUL bytes', value('\u0000\u0000\u0000'), 'EVENT_MALFORMED', /not JSON/],
  ['a NUL byte within a string', value('{"reason":"a\u0000b"}'), 'EVENT_MALFORMED', /not JSON/],
  ['2 MB that are no JSON', value(LARGE), 'EVENT_MALFORMED', /not JSON/],
  ...['[]', 'null', '7', '"text"', 'true'].map(
    (text) => [`${text} at the top level`, value(text), 'EVENT_SCHEMA', /top level/] as const,
  ),
  ['a field too few', value('{"experimentId":"x"}'), 'EVENT_SCHEMA', /reason: .*missing/],
  ['a field too many', data({ zeal: 1 }), 'EVENT_SCHEMA', /zeal: unknown key/],
  ['a field of another type', data({ reason: { text: 'x' } }), 'EVENT_SCHEMA', /reason: .*expected string/],
  ['an empty id', data({ experimentId: '' }), 'EVENT_SCHEMA', /experimentId: /],
  ['a prototype', value('{"__proto__":{"experimentId":"x","reason":"x"}}'), 'EVENT_SCHEMA', /experimentId: /],
  ['arrays 10,000 deep', value(nested(10_000)), 'EVENT_SCHEMA', /top level/],
  ['a field 10,000 deep', value(`{"experimentId":"x","reason":${nested(10_000)}}`), 'EVENT_SCHEMA', /reason: /],
  ['2 MB of the wrong schema', data({ reason: 7, more: LARGE }), 'EVENT_SCHEMA', /more: unknown key/],
  ...REQUIRED.map((name) => [`no ${name}`, without(name), 'EVENT_MALFORMED', new RegExp(name)] as const),
  ...REQUIRED.map(
    (name) => [`an empty ${name}`, headers({ [name]: '' }), 'EVENT_MALFORMED', new RegExp(name)] as const,
  ),
  ['no headers at all', (sound) => ({ ...sound, headers: {} }), 'EVENT_MALFORMED', /ce_type/],
  ['a time that is none', headers({ ce_time: 'half past nine' }), 'EVENT_MALFORMED', /ce_time/],
  ['a type of another topic', headers({ ce_type: 'whale.phase.started.v1' }), 'EVENT_TOPIC', /belongs on/],
  ['an unknown type', headers({ ce_type: 'whale.nobody.knows.v1' }), 'EVENT_TYPE_UNKNOWN', /nobody\.knows/],
  ['a type that is a property of objects', headers({ ce_type: '__proto__' }), 'EVENT_TYPE_UNKNOWN', /__proto__/],
  ['a newer version', headers({ ce_type: 'whale.experiment.cancel-requested.v9' }), 'EVENT_VERSION_NEWER', /v9/],
  ['a type of 2 MB', headers({ ce_type: LARGE }), 'EVENT_MALFORMED', /ce_type: .* has 2097152 characters/],
  ['an event id of 2 MB', headers({ ce_id: LARGE }), 'EVENT_MALFORMED', /ce_id: .* has 2097152 characters/],
  ['an event id with NUL', headers({ ce_id: 'a\u0000b' }), 'EVENT_MALFORMED', /ce_id: .*holds NUL/],
  ['an experiment id of 2 MB', data({ experimentId: LARGE }), 'EVENT_SCHEMA', /more than 1024/],
  ['an experiment id with NUL', data({ experimentId: 'a\u0000b' }), 'EVENT_SCHEMA', /holds NUL/],
  ['a claim check that is none', headers({ ce_dataref: 'blob:sha256/0' }), 'EVENT_SCHEMA', /bad claim check/],
  [
    'a claim check of another store',
    (sound) => headers({ ce_dataref: 's3://x' })(value(claim('s3://x', MISSING))(sound)),
    'BLOB_SCHEME',
    /s3:\/\/x/,
  ],
  [
    'a claim check whose blob is missing',
    (sound) => headers({ ce_dataref: 'blob' })(value(claim(`blob:sha256/${MISSING}`, MISSING))(sound)),
    'BLOB_MISSING',
    /0000/,
  ],
  ['headers of an earlier dead letter', headers({ 'whale-dlq-code': 'OLD', ce_type: 'x' }), 'EVENT_TYPE_UNKNOWN', /x/],
];

/** Unusual, and sound: clocks that go wrong, an order that nobody promised, large and strange text. */
export const SOUND: readonly (readonly [what: string, spoil: Spoil])[] = [
  ['a time years ago', headers({ ce_time: '1970-01-01T00:00:00Z' })],
  ['a time in a thousand years', headers({ ce_time: '3025-01-01T00:00:00.000Z' })],
  ['a time zone', headers({ ce_time: '2025-06-01T12:00:00+05:30' })],
  ['a cause that nobody has seen', headers({ ce_causationid: 'event-of-tomorrow' })],
  ['another schema version of CloudEvents', headers({ ce_specversion: '9.9' })],
  ['headers of its own', headers({ colour: 'blue', 'x-long': 'y'.repeat(300_000) })],
  ['a traceparent of 2 MB', headers({ traceparent: LARGE })],
  ['an escaped NUL', data({ reason: 'a\u0000b' })],
  ['2 MB, not as a claim check', data({ reason: LARGE })],
];

function largeText(length: number): string {
  const bytes = Array.from({ length: Math.ceil((length * 3) / 128) }, (_, i) => Buffer.from(sha256(String(i)), 'hex'));
  return Buffer.concat(bytes).toString('base64').slice(0, length);
}

function claim(uri: string, sha256: string): string {
  return JSON.stringify({ uri, sha256, bytes: 3 });
}

/** A sound record; records of one key come one after the other. */
export function sound(key: string, id: string): WireRecord {
  return { ...recordOf(request(id, 'sound')), key };
}
