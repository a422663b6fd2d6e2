import { cpSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import {
  CLAIM_CHECK_BYTES,
  deadLetterTopic,
  decodeRecord,
  originalRecord,
  readDeadLetter,
  type ProposalFailed,
  type WireRecord,
} from '@whale/contracts';
import type { BackOff, EventLog, LogRecord } from '@whale/event-log';
import { systemClock } from '@whale/kernel';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startService, type RunningService } from '../service.ts';
import { SqliteServiceStore } from '../store/sqlite-store.ts';
import { ECHO_TOPIC, REQUEST_TOPIC, echoService } from '../support/echo-service.ts';
import { POISON, SOUND, sound } from './poison-cases.ts';

/** A record that stays retryable is parked after eight deliveries: in a third of a second. */
export const QUICK_BACK_OFF: BackOff = { firstMs: 10, longestMs: 50 };

export interface PoisonHarness {
  /** Without records, with `QUICK_BACK_OFF`; its topics of events take 3 MB. It is closed by `dispose`. */
  log: EventLog;
  dispose(): Promise<void>;
}

const WAIT = { timeout: 60_000, interval: 50 };
/** What a dead letter may have around its value: less than a broker's default of 1 MB by far. */
const MOST_BYTES = CLAIM_CHECK_BYTES + 64 * 1024;

/**
 * What a service on any log does with poison: each record is parked or ignored with its cause, and what lies behind it
 * in the partition is handled. To be called at the top of a test file.
 */
export function poisonContract(name: string, makeHarness: () => Promise<PoisonHarness>): void {
  describe(`poison: ${name}`, () => {
    let harness: PoisonHarness;
    let folder: string;
    let blobs: FolderBlobStore;
    let service: RunningService;
    const troubles: string[] = [];
    let onTrouble: (message: string) => void = () => undefined;
    let keys = 0;

    beforeAll(async () => {
      harness = await makeHarness();
      folder = await mkdtemp(join(tmpdir(), 'whale-poison-'));
      blobs = new FolderBlobStore(join(folder, 'blobs'));
      service = await startService(
        echoService(),
        {
          log: harness.log,
          logName: 'a log of a test',
          blobs,
          clock: systemClock,
          store: (of) => new SqliteServiceStore(join(folder, `${of}.sqlite`)),
          onTrouble: (_, message) => {
            troubles.push(message);
            onTrouble(message);
          },
        },
        {},
      );
    }, 120_000);
    afterAll(async () => {
      await service.stop();
      await harness.dispose();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    const newKey = () => `key-${++keys}`;

    const answered = new Map<string, string[]>();

    /** What the service has answered, by the experiment asked about. */
    async function answers(): Promise<ReadonlyMap<string, readonly string[]>> {
      for (const record of await newOn(ECHO_TOPIC)) {
        const { experimentId, error } = (await decodeRecord(record, (ref) => blobs.get(ref))).event
          .data as ProposalFailed['data'];
        answered.set(experimentId, [...(answered.get(experimentId) ?? []), error.message]);
      }
      return answered;
    }

    const read = new Map<string, number>();

    /** The records of a topic that it was not asked for before. */
    async function newOn(topic: string): Promise<LogRecord[]> {
      const records: LogRecord[] = [];
      for (const { partition, offset } of await harness.log.heads([topic])) {
        const at = `${topic}/${partition}`;
        const from = read.get(at) ?? 0;
        if (offset <= from) continue;
        for await (const record of harness.log.read({ topic, partition, from, to: offset })) records.push(record);
        read.set(at, offset);
      }
      return records;
    }

    /** Puts records and a sound one behind them into one partition; gives what was parked once that one is answered. */
    async function parkedBefore(records: readonly WireRecord[], key: string): Promise<LogRecord[]> {
      const behind = `${key}-behind`;
      await harness.log.append([...records, sound(key, behind)]);
      await vi.waitFor(async () => expect((await answers()).get(behind)).toEqual(['sound']), WAIT);
      return newOn(deadLetterTopic(REQUEST_TOPIC));
    }

    test.each(POISON)(
      '%s is parked',
      async (_, spoil, code, message) => {
        const key = newKey();
        const record = spoil(sound(key, key));
        const parked = await parkedBefore([record], key);
        // Answers and dead letters are sent together and may arrive one before the other.
        await vi.waitFor(async () => {
          parked.push(...(await newOn(deadLetterTopic(REQUEST_TOPIC))));
          expect(parked.length).toBeGreaterThan(0);
        }, WAIT);
        for (const one of parked) {
          const letter = readDeadLetter(one);
          expect(letter).toMatchObject({ kind: 'parked', service: 'proposer', topic: REQUEST_TOPIC, code });
          if (letter?.kind !== 'parked') throw new Error('no dead letter');
          expect(letter.message).toMatch(message);
          const { partition, offset } = letter;
          const range = { topic: REQUEST_TOPIC, partition, from: offset, to: offset + 1 };
          const original = await originalRecord(letter, one, (ref) => blobs.get(ref));
          for await (const { key: at, value } of harness.log.read(range))
            expect({ key: at, value }).toEqual({ key, value: record.value });
          expect(original).toEqual({ ...record, headers: withoutDeadLetter(record.headers) });
          expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(MOST_BYTES);
        }
        expect((await answers()).get(key)).toBeUndefined();
        expect(troubles.at(-1)).toContain(code);
        expect(troubles.at(-1)?.length).toBeLessThan(2_000);
      },
      120_000,
    );

    test.each(SOUND)(
      '%s is handled',
      async (_, spoil) => {
        const key = newKey();
        const record = spoil(sound(key, key));
        expect(await parkedBefore([record], key)).toEqual([]);
        expect((await answers()).get(key)).toEqual([(JSON.parse(record.value) as { reason: string }).reason]);
      },
      120_000,
    );

    test('a claim check whose blob holds something else is parked', async () => {
      const key = newKey();
      const good = sound(key, key);
      const ref = await blobs.put(new TextEncoder().encode(good.value));
      await writeFile(join(folder, 'blobs', ref.sha256.slice(0, 2), ref.sha256), 'something else');
      const claimed = { ...good, headers: { ...good.headers, ce_dataref: ref.uri }, value: JSON.stringify(ref) };
      const parked = await parkedBefore([claimed], key);
      expect(parked.map(readDeadLetter)).toMatchObject([{ code: 'BLOB_CORRUPT' }]);
    });

    test('a claim check whose blob comes late is handled: it is tried again', async () => {
      const key = newKey();
      const good = sound(key, key);
      const bytes = new TextEncoder().encode(good.value);
      const elsewhere = new FolderBlobStore(join(folder, 'elsewhere'));
      const ref = await elsewhere.put(bytes);
      const claimed = { ...good, headers: { ...good.headers, ce_dataref: ref.uri }, value: JSON.stringify(ref) };
      let missed = 0;
      // Before it returns, so before the next try.
      onTrouble = (message) => {
        if (!/cannot be read.*trying again/.test(message)) return;
        if (++missed === 2) cpSync(join(folder, 'elsewhere'), join(folder, 'blobs'), { recursive: true });
      };
      expect(await parkedBefore([claimed], key)).toEqual([]);
      onTrouble = () => undefined;
      expect(missed).toBe(2);
      expect((await answers()).get(key)).toEqual(['sound']);
    }, 120_000);

    test('an event that comes again, also with another body, is ignored', async () => {
      const key = newKey();
      const first = sound(key, key);
      const other = { ...first, value: JSON.stringify({ experimentId: key, reason: 'another body' }) };
      expect(await parkedBefore([first, first, other, first], key)).toEqual([]);
      expect((await answers()).get(key)).toEqual(['sound']);
    });

    test('an event is not lost because a broken one has its id', async () => {
      const key = newKey();
      const good = sound(key, key);
      const parked = await parkedBefore([{ ...good, value: '{' }, good], key);
      expect(parked).toHaveLength(1);
      expect((await answers()).get(key)).toEqual(['sound']);
    });

    test('a whole batch of poison holds nothing up', async () => {
      const key = newKey();
      const records = Array.from({ length: 200 }, (_, i) => ({ ...sound(key, `${key}/${i}`), value: `{${i}` }));
      expect(await parkedBefore(records, key)).toHaveLength(200);
    }, 120_000);
  });
}

function withoutDeadLetter(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([header]) => !header.startsWith('whale-dlq-')));
}
