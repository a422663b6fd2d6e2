import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import type { BlobRef, TokenSample } from '@whale/contracts';
import { DEFAULT_CONFIG, loadTheta0 } from '@whale/embedded-lm';
import { rng } from '@whale/kernel';
import type { UpdateProgress, UpdateRequest } from '@whale/trainer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmbeddedTrainer } from './embedded-trainer.ts';

let folder: string;
let blobs: FolderBlobStore;
let weights: BlobRef;
let trainer: EmbeddedTrainer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whale-trainer-'));
  blobs = new FolderBlobStore(folder);
  weights = await blobs.put(await loadTheta0());
  trainer = new EmbeddedTrainer({ blobs, threads: 2 });
});
afterAll(async () => {
  await trainer.close();
  await rm(folder, { recursive: true, force: true });
});

const random = rng('trainer');
const samples: TokenSample[] = Array.from({ length: 40 }, () => ({
  tokens: Array.from({ length: 20 }, () => random.int(600)),
  modelSpans: [
    [6, 3],
    [15, 5],
  ],
}));
const request = (more: Partial<UpdateRequest> = {}): UpdateRequest => ({
  updateId: 'u1',
  weights,
  optimizer: null,
  samples,
  learningRate: 1e-3,
  batchTokens: 400,
  seed: 'seed',
  ...more,
});

describe('invariant 1: same input, same bytes', () => {
  test('asked again, and on one thread', async () => {
    const first = await trainer.update(request());
    expect(first).toMatchObject({ batches: 2, lossTokens: 320, totalTokens: 800 });
    expect(await trainer.update(request())).toEqual(first);
    const single = new EmbeddedTrainer({ blobs, threads: 1 });
    expect(await single.update(request())).toEqual(first);
    await single.close();
    expect((await trainer.update(request({ seed: 'other' }))).weights.sha256).not.toBe(first.weights.sha256);
  });

  test('the optimizer state is part of the input', async () => {
    const first = await trainer.update(request());
    const next = request({ weights: first.weights, optimizer: first.optimizer });
    const second = await trainer.update(next);
    expect(await trainer.update(next)).toEqual(second);
    expect(second.loss).toBeLessThan(first.loss);
    const fresh = await trainer.update({ ...next, optimizer: null });
    expect(fresh.weights.sha256).not.toBe(second.weights.sha256);
  });
});

test('progress names each batch', async () => {
  const seen: UpdateProgress[] = [];
  await trainer.update(request(), (progress) => seen.push(progress));
  expect(seen.map(({ batch, batches }) => [batch, batches])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(seen.every(({ loss }) => loss > 0)).toBe(true);
});

describe('invariant 2: a sample that does not fit is refused', () => {
  const fails = (promise: Promise<unknown>, code: string) => expect(promise).rejects.toMatchObject({ code });

  test('longer than the context; no sample at all; optimizer state that is none', async () => {
    const tokens = Array.from({ length: DEFAULT_CONFIG.context + 1 }, () => 7);
    await fails(trainer.update(request({ samples: [...samples, { tokens, modelSpans: [[3, 2]] }] })), 'LM_SAMPLE');
    await fails(trainer.update(request({ samples: [] })), 'LM_SAMPLE');
    await fails(trainer.update(request({ optimizer: weights })), 'LM_CHECKPOINT');
    expect((await trainer.update(request())).batches).toBe(2);
  });
});

test('an aborted update rejects with the reason and leaves the trainer usable', async () => {
  const stop = new AbortController();
  const many = request({ batchTokens: 20 });
  const aborted = trainer.update(many, () => stop.abort(new Error('enough')), stop.signal);
  await expect(aborted).rejects.toThrow('enough');
  expect((await trainer.update(request())).batches).toBe(2);
});
