import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { competentProposer } from '../messages-api/proposer/proposer.ts';
import { startMessagesApi, TEST_KEY, type MessagesApi } from '../messages-api/server.ts';
import { CANARY } from '../support/canary-domain.ts';
import { scratchFolder, startWhale, whale, type Finished } from '../support/whale-process.ts';

const folder = scratchFolder('claude');
const KEY = { ANTHROPIC_API_KEY: TEST_KEY };

interface AuditedSession {
  valid: number;
  steps: { sequence: number; step: { kind: string; [key: string]: unknown }; totals: { calls: number; usd: number } }[];
}
interface Scored {
  harnessId: string;
  iteration: number;
  index: number;
  correct: number;
  measured: number;
}

/** The spec of one run, which names its own server. */
function specAt(api: MessagesApi, name: string, iterations: number): string {
  const path = join(folder.path, `${name}.json`);
  const spec = {
    name,
    domain: {
      name: './test/support/canary-domain.ts',
      dataset: 'atlas',
      options: { weight: 24, harness: 40, validation: 6, test: 8 },
    },
    policy: { maxTokens: 20 },
    trainer: { learningRate: 1e-3, batchTokens: 1024 },
    strategy: { kind: 'fixed', cycles: 1, weight: { epochs: 1 }, harness: { iterations } },
    weight: { promptsPerStep: 24 },
    evaluation: { rolloutsPerTask: 1, validationRolloutsPerTask: 1, after: 'cycle' },
    proposer: { kind: 'claude', model: 'claude-opus-5', baseUrl: api.url, prices: { input: 5, output: 25 } },
  };
  writeFileSync(path, JSON.stringify(spec));
  return path;
}

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await whale([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as T;
}

async function scoresOf(data: string): Promise<Scored[]> {
  const { stdout } = await whale(['events', '--type', 'HarnessScored', '--data', data]);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { data: Scored }).data);
}

function filesUnder(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('Claude as the proposer', () => {
  const data = join(folder.path, 'data');
  let api: MessagesApi;
  let run: Finished;
  beforeAll(async () => {
    api = await startMessagesApi({ brain: competentProposer() });
    run = await whale(['run', specAt(api, 'claude', 2), '--data', data], KEY);
  }, 120_000);
  afterAll(async () => {
    await api.close();
    folder.remove();
  });

  it('finds a harness clearly better than h₀', async () => {
    expect([run.code, run.stderr]).toEqual([0, '']);
    const scores = await scoresOf(data);
    const [h0] = scores;
    const best = Math.max(...scores.map(({ correct }) => correct));
    expect(scores).toHaveLength(7);
    expect(h0).toMatchObject({ iteration: 0, measured: 40 });
    expect(best).toBeGreaterThanOrEqual((h0?.correct ?? 0) + 8);
  });

  it('is audited: every call, what it cost, every candidate, the end', async () => {
    const sessions = await json<AuditedSession[]>('audit', '--data', data);
    const kinds = sessions.map(({ steps }) => steps.map(({ step }) => step.kind));
    expect(sessions.map(({ valid }) => valid)).toEqual([3, 3]);
    for (const [i, { steps }] of sessions.entries()) {
      expect(steps.map(({ sequence }) => sequence)).toEqual(steps.map((_, place) => place + 1));
      expect(kinds[i]?.at(-1)).toBe('ended');
      expect(kinds[i]?.filter((kind) => kind === 'candidate').length).toBeGreaterThanOrEqual(3);
    }
    const calls = sessions.map(({ steps }) => steps.at(-1)?.totals.calls ?? 0);
    expect(calls.reduce((sum, n) => sum + n, 0)).toBe(api.requests.length);
    const { ledger } = await json<{ ledger: { proposer: { calls: number; usd: number } } }>('show', '--data', data);
    expect(ledger.proposer.calls).toBe(api.requests.length);
    expect(ledger.proposer.usd).toBeCloseTo(
      sessions.reduce((sum, { steps }) => sum + (steps.at(-1)?.totals.usd ?? 0), 0),
    );
    expect((await whale(['audit', '--data', data])).stdout).toMatch(/claude-opus-5: tool_use/u);
  });

  it('has seen nothing that is sealed: neither in a workspace nor in a prompt or a result of a tool', async () => {
    for (const at of ['1', '2', 'now']) {
      const workspace = join(folder.path, `workspace-${at}`);
      const point = at === 'now' ? [] : ['--at', at];
      const made = await whale(['workspace', 'claude', workspace, ...point, '--data', data]);
      expect([made.code, made.stderr]).toEqual([0, '']);
      const files = filesUnder(workspace);
      expect(files.length).toBeGreaterThan(40);
      for (const file of files) expect(file + readFileSync(file, 'utf8'), file).not.toContain(CANARY);
    }
    for (const { body } of api.requests) expect(JSON.stringify(body)).not.toContain(CANARY);
    // It is there to be found: the log has it.
    expect((await whale(['events', '--data', data])).stdout).toContain(CANARY);
  });

  it('leaves the key nowhere', () => {
    expect(run.stdout + run.stderr).not.toContain(TEST_KEY);
    for (const file of filesUnder(data)) expect(readFileSync(file).includes(TEST_KEY), file).toBe(false);
  });

  it('comes to the same candidates when it is killed in the middle, and counts every call', async () => {
    const own = await startMessagesApi({ brain: competentProposer() });
    const killed = join(folder.path, 'killed');
    const spec = specAt(own, 'killed', 1);
    const running = startWhale(['run', spec, '--data', killed], KEY);
    while (own.requests.length < 6 && running.process.exitCode === null) await sleep(10);
    running.process.kill('SIGKILL');
    await running.finished;
    const last = await whale(['run', spec, '--data', killed], KEY);
    expect(last.code).toBe(0);
    const ids = (scores: readonly Scored[]) => scores.map(({ harnessId, correct }) => [harnessId, correct]);
    // One iteration of the same search.
    expect(ids(await scoresOf(killed))).toEqual(ids(await scoresOf(data)).slice(0, 4));
    const sessions = await json<AuditedSession[]>('audit', '--data', killed);
    const steps = sessions.flatMap((session) => session.steps);
    const calls = steps.filter(({ step }) => step.kind === 'call' || step.kind === 'call-lost');
    expect(calls.length).toBeGreaterThanOrEqual(own.requests.length);
    expect(sessions.map((session) => session.steps.map(({ sequence }) => sequence))).toEqual(
      sessions.map((session) => session.steps.map((_, place) => place + 1)),
    );
    await own.close();
  });
});
