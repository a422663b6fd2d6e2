import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderBlobStore } from '@whale/blob-store';
import { RolloutLimits, type RolloutRequested } from '@whale/contracts';
import { MOST_RESULT_BYTES } from '@whale/domain-api';
import { loadDomain } from '@whale/domain-loader';
import { loadTheta0 } from '@whale/embedded-lm';
import { HarnessLimits, HarnessSandbox } from '@whale/harness-sandbox';
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

  describe('whose tool is a user’s', () => {
    const soon = { loadMs: 60_000, toolMs: 100, verifyMs: 100 };
    const ASKS = `export const PROMPTS = {};
      export default function* () {
        const told = yield { type: 'tool', name: 'search', args: {} };
        return { answer: JSON.stringify(told) };
      }`;
    const asking = async (call: string, toolMs = 60_000, signal = never) => {
      const name = join(folder, `${sha256(call)}.ts`);
      const searchQa = import.meta.resolve('@whale/domain-search-qa');
      writeFileSync(
        name,
        `import searchQa from ${JSON.stringify(searchQa)};
        export default { load: async (input: any) => ({
          ...(await searchQa.load(input)), tools: () => ({ call: ${call} }),
        }) };`,
      );
      const { uri, bytes, sha256: id } = await blobs.put(new TextEncoder().encode(ASKS));
      const own = { ...parts, loadDomain: (spec: typeof domainSpec) => loadDomain(spec, { ...soon, toolMs }) };
      const asked = { ...base, harness: { id, uri, bytes }, domain: { ...domainSpec, name } };
      return runRollout(asked, own as RolloutParts, signal);
    };

    it('records of a result that is too large what the harness received: an error', async () => {
      const { data } = await asking(`() => 'x'.repeat(50_000_000)`);
      const told = { error: 'the result has more than the 1048576 bytes of JSON that are allowed' };
      expect(data.end).toEqual({ kind: 'answered', answer: JSON.stringify(told) });
      expect(data.effects.map(({ result }) => result)).toEqual([told]);
      expect(data.trajectory).toEqual([{ source: 'env', text: `search → ${JSON.stringify(told)}` }]);
      // The sandbox has the same limit, so nothing that passes here is cut off there.
      expect(HarnessLimits.parse({}).resultBytes).toBe(MOST_RESULT_BYTES);
    });

    it('fails with a retryable error when the tool never answers', async () => {
      await expect(asking('() => new Promise(() => undefined)', 50)).rejects.toMatchObject({
        code: 'DOMAIN_TIMEOUT',
        retryable: true,
        message: expect.stringContaining('the tool search of search-qa/atlas, task atlas-weight-0001') as string,
      });
    });

    it('is stopped while the tool still works', async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new Error('stopped')), 500);
      await expect(asking('(): any => new Promise(() => undefined)', 60_000, stop.signal)).rejects.toThrow('stopped');
    });

    it('begins no tool once it is stopped', async () => {
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      const domain = await loadDomain(domainSpec);
      let calls = 0;
      const call = () => {
        calls++;
        // While the first holds the thread, the effects of the others come in.
        if (calls === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        else stop.abort(new Error('stopped'));
        return null;
      };
      const own = { ...parts, loadDomain: async () => ({ ...domain, tools: () => ({ call }) }) };
      const { uri, bytes, sha256: id } = await blobs.put(new TextEncoder().encode(ASKS));
      const batch = Array.from({ length: 32 }, (_, i) =>
        runRollout({ ...request(i), harness: { id, uri, bytes } }, own, stop.signal),
      );
      const ends = await Promise.allSettled(batch);
      // The first has its answer, and may be over before the second asks.
      const stopped = ends.filter(({ status }) => status === 'rejected');
      expect(stopped.length).toBeGreaterThanOrEqual(batch.length - 1);
      for (const ended of stopped) expect(ended).toMatchObject({ reason: { message: 'stopped' } });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(calls).toBe(2);
    });
  });
});
