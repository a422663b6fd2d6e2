/**
 * Adds to the frozen records in test/histories; what is there is never written again.
 *
 *     npm run histories                               what lacks an example
 *     npm run histories -- add --data DIR             a record of middling size of each type that lacks one, from a log
 *     npm run histories -- add FILE.json              one event, written by hand: { "type": …, "data": … }
 *     npm run histories -- record NAME --about TEXT --data DIR [--experiment ID]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { FolderBlobStore } from '@whale/blob-store';
import { BlobRef, encodeEvent, EVENTS, OLD_EVENTS, TOPIC_NAMES, type DomainEvent } from '@whale/contracts';
import type { LogRecord } from '@whale/event-log';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { dataFolder } from '@whale/service-host';
import { experimentStateHash } from '../apps/cli/src/replay/state-hash.ts';
import {
  examplePath,
  experimentPath,
  Manifest,
  MANIFEST,
  readManifest,
  sha256OfFile,
  type FrozenRecord,
} from '../test/histories/corpus.ts';

const USAGE = 'usage: npm run histories -- [add FILE | add --data DIR | record NAME --about TEXT --data DIR]';
/** For examples written by hand, so that the same event is the same record. */
const TIME = Date.UTC(2026, 0, 1);

const manifest = readManifest();
const lacking = () => [...EVENTS, ...OLD_EVENTS].map(({ type }) => type).filter((type) => !manifest.events[type]);

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}

function addExample(record: FrozenRecord): void {
  const type = record.headers['ce_type'] ?? '';
  if (manifest.events[type]) fail(`${type} has its example, and that stays as it is`);
  const path = examplePath(type);
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`, { flag: 'wx' });
  manifest.events[type] = sha256OfFile(path);
  console.log(`${type}: ${record.value.length} characters`);
}

function writeManifest(): void {
  const sorted = <Value>(entries: Record<string, Value>) =>
    Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
  const { events, experiments } = Manifest.parse(manifest);
  const text = JSON.stringify({ events: sorted(events), experiments: sorted(experiments) }, null, 2);
  writeFileSync(MANIFEST, `${text}\n`);
}

async function openLog(data: string): Promise<{ log: SqliteEventLog; blobs: FolderBlobStore; records: LogRecord[] }> {
  const log = await SqliteEventLog.open({ path: dataFolder(data).log });
  const records: LogRecord[] = [];
  for (const { topic, partition, offset } of await log.heads(TOPIC_NAMES)) {
    for await (const record of log.read({ topic, partition, from: 0, to: offset })) records.push(record);
  }
  records.sort((a, b) => a.timestamp - b.timestamp);
  return { log, blobs: new FolderBlobStore(dataFolder(data).blobs), records };
}

async function frozen({ topic, key, headers, value }: LogRecord, blobs: FolderBlobStore): Promise<FrozenRecord> {
  if (headers['ce_dataref'] === undefined) return { topic, key, headers: { ...headers }, value };
  const claim = new TextDecoder().decode(await blobs.get(BlobRef.parse(JSON.parse(value))));
  return { topic, key, headers: { ...headers }, value, claim };
}

async function addFromLog(data: string): Promise<void> {
  const { log, blobs, records } = await openLog(data);
  for (const type of lacking()) {
    const mine = records.filter(({ headers }) => headers['ce_type'] === type);
    mine.sort((a, b) => a.value.length - b.value.length);
    const typical = mine[mine.length >> 1];
    if (typical) addExample(await frozen(typical, blobs));
  }
  await log.close();
}

function addByHand(file: string): void {
  const event = JSON.parse(readFileSync(file, 'utf8')) as DomainEvent<string, { experimentId: string }>;
  addExample(
    encodeEvent(event, { source: 'whale/example', time: TIME, correlationId: event.data.experimentId }) as FrozenRecord,
  );
}

async function recordExperiment(name: string, about: string, data: string, wanted: string | undefined): Promise<void> {
  if (manifest.experiments[name]) fail(`${name} is recorded, and stays as it is`);
  const { log, blobs, records } = await openLog(data);
  const ids = new Set(records.map(({ headers }) => headers['ce_correlationid'] as string));
  const experimentId = wanted ?? [...ids][0];
  if (!experimentId || (!wanted && ids.size > 1))
    fail(`${data} holds ${[...ids].join(', ') || 'nothing'}: --experiment ID`);
  const mine = records.filter(({ headers }) => headers['ce_correlationid'] === experimentId);
  const stateHash = await experimentStateHash(log, blobs, experimentId);
  if (stateHash === null) fail(`${experimentId} has not started`);
  const lines: string[] = [];
  for (const record of mine) lines.push(`${JSON.stringify(await frozen(record, blobs))}\n`);
  await log.close();
  const path = experimentPath(name);
  writeFileSync(path, gzipSync(lines.join(''), { level: 9 }), { flag: 'wx' });
  manifest.experiments[name] = { about, sha256: sha256OfFile(path), experimentId, records: mine.length, stateHash };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, about: { type: 'string' }, experiment: { type: 'string' } },
});
const [command, argument] = positionals;
const { data, about, experiment } = values;
if (command === 'add' && data) await addFromLog(data);
else if (command === 'add' && argument) addByHand(argument);
else if (command === 'record' && argument && about && data) await recordExperiment(argument, about, data, experiment);
else if (command !== undefined) fail(USAGE);
if (command !== undefined) writeManifest();
console.log(
  lacking().length === 0 ? 'every version of every event has an example' : `no example of\n  ${lacking().join('\n  ')}`,
);
