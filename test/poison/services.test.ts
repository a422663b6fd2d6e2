import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveService } from '@whale/app-archive';
import { schedulerService } from '@whale/app-scheduler';
import { verifierService } from '@whale/app-verifier';
import { FolderBlobStore } from '@whale/blob-store';
import {
  encodeEvent,
  experimentIdOf,
  parseSpec,
  readDeadLetter,
  TOPIC_NAMES,
  topicDefinitions,
  type AnyEvent,
  type DomainEvent,
  type WireRecord,
} from '@whale/contracts';
import type { LogRecord } from '@whale/event-log';
import { SqliteEventLog } from '@whale/event-log-sqlite';
import { rng, systemClock } from '@whale/kernel';
import { SqliteServiceStore, startService, type Platform, type ServiceDefinition } from '@whale/service-kit';
import { onTestFinished, expect, test, vi } from 'vitest';

const SERVICES = [archiveService, verifierService, schedulerService] as ServiceDefinition<unknown>[];
const EXAMPLES = new URL('../histories/events/', import.meta.url);

/** The real scheduler, archive and verifier on a log of their own. */
async function running() {
  const folder = await mkdtemp(join(tmpdir(), 'whale-poison-services-'));
  const log = await SqliteEventLog.open({ path: join(folder, 'log.sqlite') });
  await log.ensureTopics(topicDefinitions());
  const stores = new Map<string, SqliteServiceStore>();
  const troubles: string[] = [];
  const platform: Platform = {
    log,
    logName: 'a log of a test',
    blobs: new FolderBlobStore(join(folder, 'blobs')),
    clock: systemClock,
    store: (service) => {
      const store = new SqliteServiceStore(join(folder, `${service}.sqlite`));
      stores.set(service, store);
      return store;
    },
    onTrouble: (service, message) => void troubles.push(`${service}: ${message}`),
  };
  const services = await Promise.all(SERVICES.map((service) => startService(service, platform, {})));
  onTestFinished(async () => {
    for (const service of services) await service.stop();
    await log.close();
    await rm(folder, { recursive: true, force: true });
  });

  const recordsOn = async (topics: readonly string[]): Promise<LogRecord[]> => {
    const records: LogRecord[] = [];
    for (const { topic, partition } of await log.heads(topics)) {
      for await (const record of log.read({ topic, partition, from: 0 })) records.push(record);
    }
    return records;
  };
  /** Every partition has been read to its end by every service that reads it, and nothing is under way. */
  const settled = () =>
    vi.waitFor(
      async () => {
        for (const { name, subscriptions } of SERVICES) {
          const store = stores.get(name) as SqliteServiceStore;
          for (const head of await log.heads([...new Set(subscriptions.consumes.map(({ topic }) => topic))])) {
            if (head.offset > 0)
              expect([name, head.topic, await store.checkpoint(head)]).toEqual([name, head.topic, head.offset]);
          }
          expect([name, await store.workPending(), (await store.outbox(1)).length]).toEqual([name, 0, 0]);
        }
      },
      { timeout: 60_000, interval: 50 },
    );
  const parked = async () =>
    (await recordsOn(TOPIC_NAMES.map((topic) => `${topic}.dlq`))).map((record) => {
      const letter = readDeadLetter(record);
      return letter?.kind === 'parked' ? `${letter.service}: ${letter.code}: ${letter.message}` : 'no dead letter';
    });
  return { log, recordsOn, settled, parked, troubles };
}

/** An event of every type and version, all of experiments that nobody has submitted here. */
async function examples(): Promise<WireRecord[]> {
  const files = (await readdir(EXAMPLES)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    files.map(async (name) => JSON.parse(await readFile(new URL(name, EXAMPLES), 'utf8')) as WireRecord),
  );
}

function recordOf(event: AnyEvent): WireRecord {
  return encodeEvent(event as DomainEvent, { source: 'test', time: 0, correlationId: event.data.experimentId });
}

const spec = (seed: number) =>
  parseSpec(
    {
      name: 'poison',
      seed,
      domain: { name: 'search-qa', dataset: 'atlas' },
      strategy: { kind: 'fixed', cycles: 1, weight: { epochs: 0.1 }, harness: { iterations: 1 } },
    },
    'poison.yaml',
  );
const submission = (id: string, seed: number) =>
  recordOf({ type: 'whale.experiment.submitted.v1', data: { experimentId: id, spec: spec(seed) } });

test('events of experiments that nobody submitted, twice and in any order, change nothing for the others', async () => {
  const { log, recordsOn, settled, parked, troubles } = await running();
  const strange = (await examples()).filter(({ headers }) => headers['ce_type'] !== 'whale.experiment.submitted.v1');
  const before = rng('poison').shuffle([...strange, ...strange]);
  await log.append(before);
  await settled();
  const decided = (await recordsOn(['whale.schedule.v1', 'whale.rollout-requests.v1', 'whale.archive.v1'])).filter(
    ({ headers }) => headers['ce_source'] === 'whale/scheduler' || headers['ce_source'] === 'whale/archive',
  );
  const brought = new Set(strange.map(({ headers }) => headers['ce_id']));
  expect(decided.filter(({ headers }) => !brought.has(headers['ce_id']))).toEqual([]);
  expect(await parked()).toEqual([]);
  expect(troubles).toEqual([]);

  const id = experimentIdOf(spec(1));
  await log.append([submission(id, 1), ...rng('again').shuffle(strange)]);
  await settled();
  const mine = (await recordsOn(['whale.schedule.v1'])).filter(({ headers }) => headers['ce_correlationid'] === id);
  expect(mine.map(({ headers }) => headers['ce_type'])).toContain('whale.evaluation.opened.v1');
});

test('a spec under the id of another is parked with its cause, and the right one starts, once', async () => {
  const { log, recordsOn, settled, parked } = await running();
  const id = experimentIdOf(spec(1));
  await log.append([submission(id, 2), submission(id, 1), submission(id, 1), submission(id, 3)]);
  await settled();
  expect(await parked()).toEqual([
    `scheduler: INPUT: the spec submitted as ${id} has the id ${experimentIdOf(spec(2))}: submit it under that`,
  ]);
  const started = (await recordsOn(['whale.schedule.v1'])).filter(
    ({ headers }) => headers['ce_type'] === 'whale.experiment.started.v1',
  );
  expect(started.map(({ value }) => (JSON.parse(value) as { spec: { seed: number } }).spec.seed)).toEqual([1]);
});

test('answers that contradict what was asked, and doubles with another body, are ignored', async () => {
  const { log, recordsOn, settled, parked, troubles } = await running();
  const id = experimentIdOf(spec(1));
  await log.append([submission(id, 1)]);
  await settled();
  const before = await recordsOn(['whale.schedule.v1']);
  const own = (await examples()).map((example) => {
    const value = { ...(JSON.parse(example.value) as Record<string, unknown>), experimentId: id };
    const key = example.key === (JSON.parse(example.value) as { experimentId: string }).experimentId ? id : example.key;
    const headers = { ...example.headers, ce_id: `${example.headers['ce_id']}-of-${id}`, ce_correlationid: id };
    return { ...example, key, headers, value: JSON.stringify(value) };
  });
  const answers = own.filter(({ topic }) =>
    ['whale.verdicts.v1', 'whale.weights.v1', 'whale.harnesses.v1', 'whale.archive.v1'].includes(topic),
  );
  expect(answers.length).toBeGreaterThan(7);
  const others = answers.map((record) => ({ ...record, value: record.value.replace('"attempt":1', '"attempt":7') }));
  await log.append(rng('answers').shuffle([...answers, ...others]));
  await settled();
  expect(await recordsOn(['whale.schedule.v1'])).toEqual(before);
  expect(await parked()).toEqual([]);
  expect(troubles).toEqual([]);
});
