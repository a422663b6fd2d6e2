import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  decodeRecord,
  eventDefinition,
  eventId,
  EVENTS,
  ExperimentEnded,
  latestType,
  OLD_EVENTS,
  TOPIC_NAMES,
  type EventDefinition,
  type WireRecord,
} from '@whale/contracts';
import { viewOf } from '@whale/experiment-view';
import { beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../../apps/cli/src/log/experiments.ts';
import { headsOf, loggedEvents } from '../../apps/cli/src/replay/logged-events.ts';
import { rebuildService } from '../../apps/cli/src/replay/rebuild-service.ts';
import { REBUILDABLE } from '../../apps/cli/src/replay/rebuildable.ts';
import { experimentStateHash } from '../../apps/cli/src/replay/state-hash.ts';
import {
  examplePath,
  experimentPath,
  HISTORIES,
  readExample,
  readExperiment,
  readManifest,
  sha256OfFile,
  type FrozenRecord,
} from './corpus.ts';
import { LOG_ADAPTERS, type FreshLog } from './logs.ts';

const manifest = readManifest();
const ADD = 'see docs/events.md: npm run histories';

const resolveIn = (record: FrozenRecord) => async () => {
  if (record.claim === undefined) throw new Error('not a claim check');
  return new TextEncoder().encode(record.claim);
};
const decode = (record: FrozenRecord) => decodeRecord(record, resolveIn(record));

describe('the frozen records', () => {
  test('are as they were written', () => {
    for (const [type, sha256] of Object.entries(manifest.events))
      expect(sha256OfFile(examplePath(type)), type).toBe(sha256);
    for (const [name, { sha256 }] of Object.entries(manifest.experiments)) {
      expect(sha256OfFile(experimentPath(name)), name).toBe(sha256);
    }
  });

  test('are all in the manifest', () => {
    const files = (folder: string) => readdirSync(join(HISTORIES, folder)).sort();
    expect(files('events')).toEqual(
      Object.keys(manifest.events)
        .map((type) => `${type}.json`)
        .sort(),
    );
    expect(files('experiments')).toEqual(
      Object.keys(manifest.experiments)
        .map((name) => `${name}.jsonl.gz`)
        .sort(),
    );
  });

  test.each([...EVENTS, ...OLD_EVENTS].map(({ type }) => type))('have an example of %s', (type) => {
    expect(existsSync(examplePath(type)), ADD).toBe(true);
  });
});

describe.each(Object.keys(manifest.events))('the example of %s', (type) => {
  test('is read as the newest version of its event', async () => {
    const record = readExample(type);
    expect(record.headers['ce_type']).toBe(type);
    expect((await decode(record)).event.type).toBe(latestType(type));
  });

  test('has the id, key and subject that the newest version gives', async () => {
    await expectSameIdentity(readExample(type));
  });
});

async function expectSameIdentity(record: FrozenRecord): Promise<void> {
  const { id, subject, event } = await decode(record);
  const definition = eventDefinition(event.type) as EventDefinition;
  const data = event.data as never;
  expect(id).toBe(eventId(definition, data));
  expect(subject).toBe(definition.subject(data));
  expect(record).toMatchObject({ topic: definition.topic, key: definition.key(data) });
}

describe.each(Object.entries(manifest.experiments))('the experiment %s', (name, frozen) => {
  const { experimentId } = frozen;
  const stateHash = frozen.stateHashNow?.hash ?? frozen.stateHash;
  const records = readExperiment(name);

  test('is read to the last record, under its ids', async () => {
    expect(records).toHaveLength(frozen.records);
    for (const record of records) await expectSameIdentity(record);
  });

  test('folds into the view that it ended with', async () => {
    const envelopes = await Promise.all(records.map(decode));
    const view = viewOf(experimentId, envelopes);
    const ended = envelopes.map(({ event }) => event).find((event) => event.type === 'whale.experiment.ended.v1');
    const { base, best, bestOnTest, ledger } = ended?.data ?? {};
    expect(view.result).toEqual({ base, best, bestOnTest });
    expect(view.ledger).toMatchObject({ rollouts: ledger?.rollouts, proposer: ledger?.proposer });
  });

  for (const adapter of LOG_ADAPTERS) {
    adapter.describe(`on ${adapter.name}`, () => {
      let fresh: FreshLog;
      beforeAll(async () => {
        fresh = await adapter.open();
        for (const { claim } of records) {
          if (claim !== undefined) await fresh.blobs.put(new TextEncoder().encode(claim));
        }
        await fresh.log.append(records.map(withoutClaim));
        return () => fresh.remove();
      }, 300_000);

      test('comes back as it was written', async () => {
        const back: WireRecord[] = [];
        for (const { topic, partition, offset } of await headsOf(fresh.log)) {
          for await (const record of fresh.log.read({ topic, partition, from: 0, to: offset })) {
            back.push({ topic, key: record.key, headers: { ...record.headers }, value: record.value });
          }
        }
        const inOrder = (list: WireRecord[]) => list.map((record) => JSON.stringify(sorted(record))).sort();
        expect(inOrder(back)).toEqual(inOrder(records.map(withoutClaim)));
      });

      test('gives the state hash that it was recorded with', async () => {
        expect(await experimentStateHash(fresh.log, fresh.blobs, experimentId)).toBe(stateHash);
      });

      test('shows its events to readers as the newest versions', async () => {
        const written = records.map(({ headers }) => headers['ce_type'] as string);
        const old = written.filter((type) => latestType(type) !== type);
        for (const type of new Set([...old.map(latestType), ExperimentEnded.type])) {
          const seen = await readEvents(fresh, { topics: TOPIC_NAMES, types: new Set([type]), experimentId });
          expect(new Set(seen.map(({ event }) => event.type))).toEqual(new Set([type]));
          expect(seen).toHaveLength(written.filter((one) => latestType(one) === type).length);
        }
      });

      test('has every decision made again, with its id and data, and no other', async () => {
        const heads = await headsOf(fresh.log);
        const logged = await loggedEvents(fresh, heads);
        for (const service of REBUILDABLE) {
          const deleted = { deleted: true, checkpoints: [], document: undefined, outbox: [] };
          const { disagreements, decided, restored } = rebuildService(service, deleted, logged, heads, experimentId);
          expect(disagreements).toEqual([]);
          expect(restored?.whole?.unpublished).toEqual([]);
          expect(decided, service.name).toBeGreaterThan(0);
        }
      });

      test('changes nothing when its records come again', async () => {
        await fresh.log.append(records.slice(0, 500).map(withoutClaim));
        expect(await experimentStateHash(fresh.log, fresh.blobs, experimentId)).toBe(stateHash);
      });
    });
  }
});

function withoutClaim({ topic, key, headers, value }: FrozenRecord): WireRecord {
  return { topic, key, headers, value };
}

function sorted({ topic, key, headers, value }: WireRecord): unknown {
  return [topic, key, Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)), value];
}
