import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import type { WeightsRef } from '@whale/contracts';
import { DEFAULT_CONFIG, encodeWeights, initialWeights, loadTheta0, loadTokenizer } from '@whale/embedded-lm';
import type { GenerateRequest, Generation } from '@whale/policy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedPolicy } from './embedded-policy.ts';

let folder: string;
let blobs: FolderBlobStore;
let w0: WeightsRef;
let policy: EmbeddedPolicy;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whale-policy-'));
  blobs = new FolderBlobStore(folder);
  w0 = { version: 'w0', ...(await blobs.put(await loadTheta0())) };
  policy = new EmbeddedPolicy({ blobs, workers: 2, versions: 2 });
});
afterAll(async () => {
  await policy.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (seed: string, more: Partial<GenerateRequest> = {}): GenerateRequest => ({
  weights: w0,
  messages: [
    { role: 'system', content: 'Search, then answer.' },
    { role: 'user', content: `Who is the mayor of ${seed.length % 2 ? 'Tarvel' : 'Dasness'}?` },
  ],
  stop: [],
  maxTokens: 12,
  temperature: 1,
  seed,
  ...more,
});
const seeds = Array.from({ length: 200 }, (_, i) => `seed ${i}`);
const fails = (promise: Promise<unknown>, code: string) => expect(promise).rejects.toMatchObject({ code });

describe('invariant 1: same request, same generation', () => {
  test('among 200 at once on two workers, and one at a time on one', async () => {
    const many = await Promise.all(seeds.map((seed) => policy.generate(ask(seed))));
    const single = new EmbeddedPolicy({ blobs, workers: 1, maxBatch: 1, keptPrefixes: 0 });
    const alone: Generation[] = [];
    for (const seed of seeds.slice(0, 40)) alone.push(await single.generate(ask(seed)));
    await single.close();
    expect(many.slice(0, 40)).toEqual(alone);
    expect(new Set(many.map(({ text }) => text)).size).toBeGreaterThan(10);
  });
});

describe('invariant 2: the weights that were asked for answer', () => {
  test('more versions at once than a worker holds', async () => {
    const tokenizer = await loadTokenizer();
    const versions = await Promise.all(
      [1, 2, 3, 4].map(async (n): Promise<WeightsRef> => {
        const bytes = encodeWeights(initialWeights(DEFAULT_CONFIG, `w${n}`), tokenizer.hash, 'f32');
        return { version: `w${n}`, ...(await blobs.put(bytes)) };
      }),
    );
    const expected = new Map<string, Generation>();
    for (const weights of versions) expected.set(weights.version, await policy.generate(ask('same', { weights })));
    expect(new Set([...expected.values()].map(({ text }) => text)).size).toBe(4);
    for (const weights of [...versions].reverse()) {
      expect(await policy.generate(ask('same', { weights }))).toEqual(expected.get(weights.version));
    }
  });

  test('bytes that are missing, changed, or no weights are an error', async () => {
    const none = 'a'.repeat(64);
    await fails(
      policy.generate(ask('x', { weights: { ...w0, uri: `blob:sha256/${none}`, sha256: none } })),
      'BLOB_MISSING',
    );
    const changed = await blobs.put(Uint8Array.of(1, 2, 3));
    await fails(policy.generate(ask('x', { weights: { version: 'w9', ...changed } })), 'LM_CHECKPOINT');
    await writeFile(join(folder, changed.sha256.slice(0, 2), changed.sha256), 'other bytes');
    await fails(policy.generate(ask('x', { weights: { version: 'w9', ...changed } })), 'BLOB_CORRUPT');
    expect((await policy.generate(ask('x'))).tokens.length).toBeGreaterThan(0);
  });
});

test('invariant 3: a prompt longer than the context', async () => {
  const long = ask('x', { messages: [{ role: 'user', content: 'Who is it? '.repeat(200) }] });
  expect(await policy.generate(long)).toMatchObject({ text: '', finish: 'context', tokens: [] });
});

test('an aborted request rejects with the reason, and the others go on', async () => {
  const stop = new AbortController();
  const aborted = policy.generate(ask('x', { maxTokens: 100 }), stop.signal);
  const other = policy.generate(ask('y'));
  stop.abort(new Error('no longer wanted'));
  await expect(aborted).rejects.toThrow('no longer wanted');
  await expect(policy.generate(ask('z'), stop.signal)).rejects.toThrow('no longer wanted');
  expect((await other).tokens.length).toBeGreaterThan(0);
});

test('a closed policy says so, also to those who wait', async () => {
  const closing = new EmbeddedPolicy({ blobs, workers: 1 });
  const waiting = closing.generate(ask('x', { maxTokens: 100 }));
  const failing = fails(waiting, 'POLICY_CLOSED');
  await closing.close();
  await failing;
  await fails(closing.generate(ask('x')), 'POLICY_CLOSED');
});
