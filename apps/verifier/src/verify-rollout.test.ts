import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RolloutEnd } from '@whale/contracts';
import { loadDomain } from '@whale/domain-loader';
import { describe, expect, it } from 'vitest';
import { verifyRollout, type VerifiableRollout } from './verify-rollout.ts';

const domainSpec = { name: 'search-qa', dataset: 'atlas', options: { weight: 4, harness: 4, validation: 4, test: 4 } };

async function rollout(end: (gold: string) => RolloutEnd): Promise<VerifiableRollout> {
  const domain = await loadDomain(domainSpec);
  const taskId = domain.tasks('weight')[0]?.id as string;
  return {
    experimentId: 'e',
    rolloutId: 'r',
    attempt: 1,
    group: { id: 'g', purpose: 'weight' },
    weightsVersion: 'w0',
    harnessId: 'h',
    domain: domainSpec,
    taskId,
    sampleIndex: 0,
    end: end(domain.gold(taskId)[0] as string),
    trajectory: [],
    tokens: { prompt: 10, sampled: 2 },
  };
}

describe('verification', () => {
  it('rewards the gold answer', async () => {
    const { data } = await verifyRollout(await rollout((answer) => ({ kind: 'answered', answer })), loadDomain);
    expect(data).toMatchObject({ reward: 1, outcome: 'correct', tokens: { prompt: 10, sampled: 2 } });
  });

  it('types what was not answered, and rewards none of it', async () => {
    const wrong = await verifyRollout(await rollout(() => ({ kind: 'answered', answer: 'Nowhere' })), loadDomain);
    const cut = await verifyRollout(await rollout(() => ({ kind: 'truncated', reason: 'turns' })), loadDomain);
    const threw = await verifyRollout(
      await rollout(() => ({ kind: 'harness_error', code: 'RUNTIME', message: 'no' })),
      loadDomain,
    );
    expect([wrong, cut, threw].map(({ data }) => [data.reward, data.outcome])).toEqual([
      [0, 'incorrect'],
      [0, 'truncated'],
      [0, 'harness_error'],
    ]);
  });

  it('does not call an unknown task wrong: it throws', async () => {
    const unknown = { ...(await rollout((answer) => ({ kind: 'answered', answer }))), taskId: 'nowhere' };
    await expect(verifyRollout(unknown, loadDomain)).rejects.toMatchObject({ code: 'TASK_UNKNOWN' });
  });

  it('does not call a verdict wrong that is none: it throws', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'whale-verifier-'));
    try {
      const name = join(folder, 'mine.ts');
      const searchQa = import.meta.resolve('@whale/domain-search-qa');
      writeFileSync(
        name,
        `import searchQa from ${JSON.stringify(searchQa)};
        export default { load: async (input: any) => ({
          ...(await searchQa.load(input)), verify: () => ({ reward: true, diagnostics: {} }),
        }) };`,
      );
      const mine = { ...(await rollout((answer) => ({ kind: 'answered', answer }))), domain: { ...domainSpec, name } };
      await expect(verifyRollout(mine, loadDomain)).rejects.toMatchObject({
        code: 'DOMAIN_SHAPE',
        message: expect.stringContaining(`task ${mine.taskId}: reward must be 0 or 1, not true`) as string,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
