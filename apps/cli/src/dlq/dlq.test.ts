import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import { deadLetterTopic, parkedRecord, topicDefinitions, type WireRecord } from '@whale/contracts';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { systemClock, WhaleError } from '@whale/kernel';
import { SqliteServiceStore, startService } from '@whale/service-kit';
import { ECHO_TOPIC, echoService, recordOf, recordsOn, request, REQUEST_TOPIC } from '@whale/service-kit/testing';
import { onTestFinished, describe, expect, test, vi } from 'vitest';
import { scratchFolder, whale } from '../support/whale-process.ts';
import { findEntries, readEntries, topicsOf } from './entries.ts';
import { retryEntries } from './retry.ts';
import { valueText } from './text.ts';

const silent = () => undefined;
const all = (log: SqliteEventLog) => readEntries(log, topicsOf(undefined), silent);

async function openLog() {
  const folder = scratchFolder('dlq');
  const log = await SqliteEventLog.open({ path: join(folder.path, 'log.sqlite') });
  const blobs = new FolderBlobStore(join(folder.path, 'blobs'));
  await log.ensureTopics(topicDefinitions());
  onTestFinished(async () => {
    await log.close();
    folder.remove();
  });
  const park = async (record: WireRecord, offset: number, service = 'archive', code = 'EVENT_SCHEMA', partition = 0) =>
    log.append([
      await parkedRecord({ ...record, partition, offset }, { service, code, message: 'it does not fit' }, (bytes) =>
        blobs.put(bytes),
      ),
    ]);
  return { path: folder.path, log, blobs, park };
}

test('a retry is handled by the service that had parked it, once, also when it is asked for twice', async () => {
  const { path, log, blobs } = await openLog();
  const store = () => new SqliteServiceStore(join(path, 'service.sqlite'));
  let broken = true;
  const service = await startService(
    echoService(() => {
      if (broken) throw new WhaleError('NO_TEA', 'the tea is out');
    }),
    { log, logName: 'a log of a test', blobs, store, clock: systemClock, onTrouble: silent },
    {},
  );
  onTestFinished(() => service.stop());
  const open = { log, blobs };
  const parked = (count: number) =>
    vi.waitFor(async () => {
      const entries = await all(log);
      expect(entries).toHaveLength(count);
      return entries;
    }, 25_000);
  await log.append([recordOf(request('x', 'tea'))]);
  const [first] = await parked(1);
  expect(first?.letter).toMatchObject({ service: 'proposer', code: 'NO_TEA' });

  // Still broken: parked again, as another entry, since it lies at another place.
  expect(await retryEntries(await all(log), open, false)).toMatchObject([{ services: ['proposer'], skipped: null }]);
  const [old, again] = await parked(2);
  expect(old?.retriedAt).not.toBeNull();
  expect(again?.retriedAt).toBeNull();
  expect(again?.letter.headers).toEqual(first?.letter.headers);

  broken = false;
  const results = await retryEntries(await all(log), open, false);
  expect(results.map(({ skipped }) => skipped)).toEqual(['retried before', null]);
  await vi.waitFor(async () => expect(await recordsOn(log, ECHO_TOPIC)).toHaveLength(1), 25_000);

  // Q4
  expect((await retryEntries(await all(log), open, false)).every(({ skipped }) => skipped !== null)).toBe(true);
  await retryEntries(await all(log), open, true);
  await log.append([recordOf(request('y', 'tea'))]);
  await vi.waitFor(async () => {
    const echoes = await recordsOn(log, ECHO_TOPIC);
    expect(echoes.map(({ headers }) => headers['ce_correlationid']).sort()).toEqual(['x', 'y']);
  }, 25_000);
});

describe('entries', () => {
  const good = recordOf(request('x'));

  test('Q1: what was parked twice by one service is one entry', async () => {
    const { log, park } = await openLog();
    await park(good, 7);
    await park(good, 7);
    expect(await all(log)).toHaveLength(1);
  });

  test('Q2, Q3: one retry serves all services that had parked the record, and none that parks it afterwards', async () => {
    const { log, blobs, park } = await openLog();
    await park(good, 7, 'archive');
    await park(good, 7, 'scheduler');
    expect(await retryEntries(await all(log), { log, blobs }, false)).toMatchObject([
      { coordinates: `${REQUEST_TOPIC}/0@7`, services: ['archive', 'scheduler'], skipped: null },
    ]);
    expect(await recordsOn(log, REQUEST_TOPIC)).toMatchObject([good]);
    await park(good, 7, 'rollout');
    const open = (await all(log)).filter(({ retriedAt }) => retriedAt === null);
    expect(open.map(({ letter }) => letter.service)).toEqual(['rollout']);
  });

  test('a large record is put back whole, from the blob store or from where it lies, or not at all', async () => {
    const { log, blobs, park } = await openLog();
    const large = { ...good, value: 'x'.repeat(1 << 21), headers: { ...good.headers, ce_id: '' } };
    await log.append([large]);
    const [lying] = await recordsOn(log, REQUEST_TOPIC);
    await park(large, 0, 'archive', 'X', lying?.partition);
    await park(large, 99, 'archive', 'X', lying?.partition);
    const [here, gone] = await all(log);
    const nowhere = { log, blobs: new FolderBlobStore('/nowhere') };
    await expect(retryEntries(gone ? [gone] : [], nowhere, false)).rejects.toMatchObject({ code: 'ENVIRONMENT' });
    await retryEntries(here ? [here] : [], nowhere, false);
    await retryEntries(gone ? [gone] : [], { log, blobs }, false);
    expect(await recordsOn(log, REQUEST_TOPIC)).toMatchObject([large, large, large]);
  });

  test('what is no dead letter is told and passed over', async () => {
    const { log, park } = await openLog();
    await log.append([{ ...good, topic: deadLetterTopic(REQUEST_TOPIC) }]);
    await park(good, 1);
    const told: string[] = [];
    expect(await readEntries(log, topicsOf('experiments'), (message) => told.push(message))).toHaveLength(1);
    expect(told).toEqual([expect.stringContaining('no dead letter')]);
    expect(await readEntries(log, topicsOf('whale.rollouts.v1.dlq'), silent)).toEqual([]);
  });

  test('ids name one entry, coordinates all services’, and what is unknown the nearest', async () => {
    const { log, park } = await openLog();
    await park(good, 17, 'archive');
    await park(good, 17, 'scheduler');
    await park(good, 2, 'archive');
    const entries = await all(log);
    const find = (...ids: string[]) => findEntries(entries, ids, 'here').map(({ letter }) => letter.id);
    const at = `${REQUEST_TOPIC}/0@`;
    expect(find(`${at}17:archive`)).toEqual([`${at}17:archive`]);
    expect(find(`${at}17`, `${at}17:archive`)).toEqual([`${at}17:archive`, `${at}17:scheduler`]);
    expect(() => find(`${at}1:archive`)).toThrow(`nothing is parked as "${at}1:archive". Nearest in here:\n  ${at}17:`);
  });
});

test('values are laid out, escaped and cut', () => {
  expect(valueText('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(valueText('{"a":"\u001b[2J\u202e\u0000')).toBe('{"a":"\\u{1b}[2J\\u{202e}\\u{0}');
  const cut = valueText('é\u0000'.repeat(1 << 20));
  expect(cut.length).toBeLessThan(30_000);
  expect(cut).toMatch(/… and 2,093,152 characters more$/);
});

test('the command: ls, show, retry, and what they say to bad input', async () => {
  const { path, log, park } = await openLog();
  const dlq = (...args: string[]) => whale(['dlq', ...args, '--data', path]);
  expect(await dlq('ls')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing is parked') });
  expect(await whale(['dlq', 'ls', '--data', join(path, 'nowhere')])).toMatchObject({ code: 0 });

  const good = recordOf(request('x', 'now it fits'));
  await park(good, 3, 'scheduler', 'EVENT_VERSION_NEWER');
  await park({ ...good, headers: {}, value: '{"half":\u001b[2J' }, 4, 'archive', 'EVENT_MALFORMED');
  const [one, two] = ['3:scheduler', '4:archive'].map((at) => `${REQUEST_TOPIC}/0@${at}`) as [string, string];

  const listed = await dlq('ls');
  expect(listed.stdout).toMatch(/id +parked +event type +code +cause +retried\n/);
  expect(listed.stdout).toContain(one);
  expect(JSON.parse((await dlq('ls', '--json')).stdout)).toMatchObject([
    { id: one, code: 'EVENT_VERSION_NEWER', experimentId: 'x', retriedAt: null },
    { id: two, type: null },
  ]);
  const shown = await dlq('show', one);
  expect(shown.stdout).toContain('this release can read it');
  expect(shown.stdout).toContain('"reason": "now it fits"');
  const malformed = await dlq('show', two);
  expect(malformed.stdout).toContain('{"half":\\u{1b}[2J');
  expect(malformed.stdout).toMatch(/cannot read it: .*lacks the header ce_type/);
  expect(JSON.parse((await dlq('show', two, '--json')).stdout)).toMatchObject([
    { id: two, headers: {}, readable: false },
  ]);

  const retried = await dlq('retry', '--all', '--code', 'EVENT_VERSION_NEWER');
  expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining('1 record put on the log again') });
  expect(await recordsOn(log, REQUEST_TOPIC)).toMatchObject([good]);
  const twice = await dlq('retry', one);
  expect(twice).toMatchObject({ code: 2, stdout: expect.stringContaining('--again') });
  expect(await recordsOn(log, REQUEST_TOPIC)).toHaveLength(1);
  expect(await dlq('retry', one, '--again', '--json')).toMatchObject({ code: 0 });
  expect(await recordsOn(log, REQUEST_TOPIC)).toHaveLength(2);

  for (const [args, message] of [
    [['ls', '--topic', 'nope'], 'whale.rollouts.v1'],
    [['retry'], '--all'],
    [['retry', one, '--all'], 'not both'],
    [['retry', 'nope'], two],
  ] as const) {
    expect(await dlq(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  }
}, 120_000);
