import { expect, test } from 'vitest';
import { ContractError } from './contract-error.ts';
import { decodeRecord, encodeEvent, type WireRecord } from './envelope.ts';

const good = encodeEvent(
  { type: 'whale.experiment.cancel-requested.v1', data: { experimentId: 'x', reason: 'enough' } },
  { source: 'whale/test', time: 0, correlationId: 'x' },
);
const inline = () => Promise.reject(new Error('not a claim check'));
const without = (name: string): WireRecord => {
  const { [name]: _dropped, ...headers } = good.headers;
  return { ...good, headers };
};
const withHeader = (name: string, value: string): WireRecord => ({
  ...good,
  headers: { ...good.headers, [name]: value },
});
const REF = { uri: 'blob:sha256/0', sha256: '0'.repeat(64), bytes: 3 };

test.each<[string, WireRecord, string, RegExp]>([
  [
    'on the wrong topic',
    { ...good, topic: 'whale.schedule.v1' },
    'EVENT_TOPIC',
    /belongs on whale\.experiments\.v1, not on whale\.schedule\.v1/,
  ],
  ['that is not JSON', { ...good, value: '{"reason":' }, 'EVENT_MALFORMED', /the value is not JSON/],
  [
    'of an unknown type',
    withHeader('ce_type', 'whale.x.y.v1'),
    'EVENT_TYPE_UNKNOWN',
    /no event is called whale\.x\.y\.v1/,
  ],
  [
    'of a later version',
    withHeader('ce_type', 'whale.experiment.cancel-requested.v9'),
    'EVENT_VERSION_NEWER',
    /v9 is newer than this release knows \(.*\.v1\): upgrade, then `whale dlq retry`/,
  ],
  [
    'of a version that never was',
    withHeader('ce_type', 'whale.experiment.cancel-requested.v0'),
    'EVENT_TYPE_UNKNOWN',
    /no event is called .*v0/,
  ],
  [
    'that lacks a field',
    { ...good, value: '{"experimentId":"x"}' },
    'EVENT_SCHEMA',
    /reason: .*expected string.*\(value: missing\)/,
  ],
  [
    'with a field of another type',
    { ...good, value: '{"experimentId":"x","reason":7}' },
    'EVENT_SCHEMA',
    /reason: .*expected string.*\(value: 7\)/,
  ],
  ['that is JSON and no object', { ...good, value: '[]' }, 'EVENT_SCHEMA', /\(top level\)/],
  ['with a claim check that is none', withHeader('ce_dataref', REF.uri), 'EVENT_SCHEMA', /bad claim check/],
  ...['ce_type', 'ce_id', 'ce_source', 'ce_time', 'ce_subject', 'ce_correlationid', 'ce_causationid'].map(
    (name): [string, WireRecord, string, RegExp] => [
      `without ${name}`,
      without(name),
      'EVENT_MALFORMED',
      new RegExp(`lacks the header ${name}`),
    ],
  ),
  ['with a time that is none', withHeader('ce_time', '9 o’clock'), 'EVENT_MALFORMED', /ce_time is no RFC 3339 time/],
  ['with a time of no calendar', withHeader('ce_time', '2025-13-77T00:00:00Z'), 'EVENT_MALFORMED', /ce_time/],
  [
    'whose wrong field is too deep to be printed',
    { ...good, value: `{"experimentId":"x","reason":${'['.repeat(20_000)}${']'.repeat(20_000)}}` },
    'EVENT_SCHEMA',
    /reason: .*expected string.*\(value: \[\[…\)/,
  ],
  ['with an empty id', withHeader('ce_id', ''), 'EVENT_MALFORMED', /lacks the header ce_id/],
])('a record %s is a typed error', async (_, record, code, message) => {
  const failure = decodeRecord(record, inline);
  await expect(failure).rejects.toBeInstanceOf(ContractError);
  await expect(failure).rejects.toMatchObject({ code, retryable: false });
  await expect(failure).rejects.toThrow(message);
});

test('a claim check is resolved, and what comes back is checked like any value', async () => {
  const claimed: WireRecord = { ...withHeader('ce_dataref', REF.uri), value: JSON.stringify(REF) };
  const resolving = (text: string) => async (ref: unknown) => {
    expect(ref).toEqual(REF);
    return new TextEncoder().encode(text);
  };
  expect((await decodeRecord(claimed, resolving(good.value))).event.data).toEqual({
    experimentId: 'x',
    reason: 'enough',
  });
  await expect(decodeRecord(claimed, resolving('{'))).rejects.toMatchObject({ code: 'EVENT_MALFORMED' });
  await expect(decodeRecord(claimed, resolving('{}'))).rejects.toMatchObject({ code: 'EVENT_SCHEMA' });
  const lost = Object.assign(new Error('gone'), { code: 'BLOB_MISSING' });
  await expect(decodeRecord(claimed, () => Promise.reject(lost))).rejects.toBe(lost);
});

test('what nobody has defined cannot be written', () => {
  const write = (type: string, data: unknown) => () =>
    encodeEvent({ type, data }, { source: 's', time: 0, correlationId: 'x' });
  expect(write('whale.x.y.v1', {})).toThrow('no event is called whale.x.y.v1');
  expect(write('whale.experiment.cancel-requested.v1', { experimentId: 1 })).toThrow(/experimentId.*\n.*reason/);
});

test('the value of an event is readable by people: plain JSON under CloudEvents headers', () => {
  expect(good).toEqual({
    topic: 'whale.experiments.v1',
    key: 'x',
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: expect.stringMatching(/^event-[0-9a-f]{24}$/) as string,
      ce_source: 'whale/test',
      ce_type: 'whale.experiment.cancel-requested.v1',
      ce_subject: 'x',
      ce_time: '1970-01-01T00:00:00.000Z',
      ce_correlationid: 'x',
      ce_causationid: good.headers['ce_id'],
    },
    value: '{"experimentId":"x","reason":"enough"}',
  });
});

test('an id that no key or header can hold is neither written nor read', async () => {
  for (const experimentId of ['x'.repeat(1_025), 'a\u0000b']) {
    const data = { experimentId, reason: 'enough' };
    const event = { type: 'whale.experiment.cancel-requested.v1', data };
    const problem = { code: 'EVENT_SCHEMA', message: expect.stringMatching(/more than 1024|NUL/) as string };
    expect(() => encodeEvent(event, { source: 's', time: 0, correlationId: 'x' })).toThrow(/more than 1024|NUL/);
    await expect(decodeRecord({ ...good, value: JSON.stringify(data) }, inline)).rejects.toMatchObject(problem);
  }
});

test('a traceparent that cannot be is passed over', async () => {
  expect((await decodeRecord(withHeader('traceparent', '0'.repeat(2_000)), inline)).traceparent).toBeUndefined();
});
