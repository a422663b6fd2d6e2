import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import { RolloutLimits, type RolloutRequested } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';
import { loadTheta0 } from '@whale/embedded-lm';
import { HarnessSandbox } from '@whale/harness-sandbox';
import { canonicalHash, sha256 } from '@whale/kernel';
import { EmbeddedPolicy } from '@whale/policy-embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRollout, type RolloutParts } from './run-rollout.ts';

const domainSpec = { name: 'search-qa', dataset: 'atlas', options: { weight: 20, harness: 4, validation: 4, test: 4 } };

describe('a rollout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whale-rollout-'));
  const blobs = new FolderBlobStore(folder);
  const sandbox = new HarnessSandbox({ workers: 1 });
  const policy = new EmbeddedPolicy({ blobs, workers: 2 });
  const parts: RolloutParts = { blobs, sandbox, policy, loadDomain };
  const never = new AbortController().signal;
  setMaxListeners(0, never);
  let base: RolloutRequested['data'];

  beforeAll(async () => {
    const domain = await loadDomain(domainSpec);
    const source = new TextEncoder().encode(domain.seedHarness);
    const { uri, bytes } = await blobs.put(source);
    base = {
      experimentId: 'e',
      rolloutId: 'r',
      attempt: 1,
      final: false,
      group: { id: 'g', purpose: 'weight' },
      weights: { ...(await blobs.put(await loadTheta0())), version: 'w0' },
      harness: { id: sha256(source), uri, bytes },
      domain: domainSpec,
      taskId: domain.tasks('weight')[0]?.id as string,
      sampleIndex: 0,
      seed: 'seed',
      temperature: 1,
      maxTokens: 20,
      limits: RolloutLimits.parse({}),
    };
  });

  afterAll(async () => {
    await policy.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const request = (i: number): RolloutRequested['data'] => ({ ...base, rolloutId: `r${i}`, seed: `seed/${i}` });

  it('gives the same tokens alone and in a full batch', async () => {
    const alone = [];
    for (const i of [3, 40, 99]) alone.push(await runRollout(request(i), parts, never));
    const batch = await Promise.all(Array.from({ length: 128 }, (_, i) => runRollout(request(i), parts, never)));
    expect([batch[3], batch[40], batch[99]].map(canonicalHash)).toEqual(alone.map(canonicalHash));
    expect(new Set(batch.map((event) => canonicalHash(event.data.samples))).size).toBeGreaterThan(32);
  });

  it('carries what the trainer needs: every model token in a span, and nothing else', async () => {
    const { data } = await runRollout(request(1), parts, never);
    const spans = data.samples.flatMap((sample) => sample.modelSpans.map(([, length]) => length));
    expect(spans.reduce((sum, length) => sum + length, 0)).toBe(data.tokens.sampled);
    for (const sample of data.samples) {
      for (const [start, length] of sample.modelSpans) expect(start + length).toBeLessThanOrEqual(sample.tokens.length);
    }
  });

  it('can be executed again from its recorded effects', async () => {
    const { data } = await runRollout(request(2), parts, never);
    const task = (await loadDomain(domainSpec)).task(data.taskId);
    const source = new TextDecoder().decode(await blobs.get({ uri: base.harness.uri, sha256: base.harness.id }));
    const again = await sandbox.replay({
      source,
      task: { ...task?.input },
      limits: {
        turns: base.limits.turns,
        effects: base.limits.effects,
        maxTokens: 20,
        contextTokens: policy.contextTokens,
      },
      effects: data.effects,
    });
    expect(again.end).toEqual(data.end);
  });

  it('ends a harness that throws as harness_error, not as an error of the platform', async () => {
    const source = 'export const PROMPTS = {};\nexport default function* () {\n  throw new Error("no");\n}\n';
    const { uri, bytes, sha256: id } = await blobs.put(new TextEncoder().encode(source));
    const { data } = await runRollout({ ...base, harness: { id, uri, bytes } }, parts, never);
    expect(data.end).toMatchObject({ kind: 'harness_error', code: 'RUNTIME' });
  });

  it('fails with a typed error when the task is unknown or the harness is not in the store', async () => {
    await expect(runRollout({ ...base, taskId: 'nowhere' }, parts, never)).rejects.toMatchObject({
      code: 'TASK_UNKNOWN',
    });
    const missing = { ...base.harness, id: 'f'.repeat(64), uri: `blob:sha256/${'f'.repeat(64)}` };
    await expect(runRollout({ ...base, harness: missing }, parts, never)).rejects.toMatchObject({
      code: 'BLOB_MISSING',
    });
  });
});
