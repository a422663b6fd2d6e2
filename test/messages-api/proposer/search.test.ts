import searchQa from '@whale/domain-search-qa';
import type { Domain } from '@whale/domain-api';
import { HarnessChecker } from '@whale/harness-sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conversation } from '../brain.ts';
import { faultsAt } from '../faults.ts';
import { startMessagesApi, type MessagesApi } from '../server.ts';
import { Search, type IterationResult } from '../testing/search.ts';
import { competentProposer } from './proposer.ts';

const M = 3;
const TASKS = 60;

let domain: Domain;
let api: MessagesApi;
let checker: HarnessChecker;
beforeAll(async () => {
  domain = await searchQa.load({ dataset: 'atlas', options: { harness: TASKS, test: 100 } });
  api = await startMessagesApi({ brain: competentProposer() });
  checker = new HarnessChecker();
});
afterAll(async () => {
  await checker.close();
  await api.close();
});

describe('the competent proposer on atlas, by the real client, tools, workspace and check', () => {
  let search: Search;
  let base: { search: number; test: number };
  const iterations: IterationResult[] = [];
  beforeAll(async () => {
    search = new Search({ domain, url: api.url, tasks: TASKS, count: M, checker });
    base = { search: await search.start(), test: await search.test(100) };
    for (let i = 1; i <= 3; i++) iterations.push(await search.iterate(i));
  }, 120_000);

  it('finds a harness that is clearly better, also on tasks that it has not seen', async () => {
    expect(iterations.at(-1)?.incumbent.score).toBeGreaterThan(base.search + 0.3);
    expect(await search.test(100)).toBeGreaterThan(base.test + 0.3);
  });

  it('writes full batches of different mechanisms, each with a hypothesis that can fail', () => {
    for (const { written } of iterations) {
      const drafts = written.filter(({ rejection }) => rejection === null).map(({ draft }) => draft);
      expect(drafts).toHaveLength(M);
      expect(new Set(drafts.map(({ changes }) => changes.join('\n'))).size).toBe(M);
      for (const { hypothesis } of drafts) expect(hypothesis).toMatch(/refuted unless more than \d+ of 60 tasks/u);
    }
  });

  it('slips once, in its first iteration, and mends it as the message says', () => {
    const [first, ...others] = iterations.map(({ written }) => written);
    const [slip, mended] = first ?? [];
    expect(slip?.rejection?.stage).toBe('types');
    expect(mended).toMatchObject({ rejection: null, draft: { changes: slip?.draft.changes } });
    expect(first?.filter(({ rejection }) => rejection !== null)).toHaveLength(1);
    expect(others.flat().filter(({ rejection }) => rejection?.stage === 'types')).toEqual([]);
  });

  it('looks before it writes: index, incumbent, outcomes, failures; and tries a candidate on tasks that fail', () => {
    for (const { journal } of iterations) {
      const tools = journal.flatMap((entry) =>
        entry.kind === 'step' && entry.step.kind === 'tool' ? [entry.step] : [],
      );
      const paths = tools.flatMap((step) => step.paths).join('\n');
      for (const path of ['index.md', 'frontier.json', 'domain.md', 'history.jsonl', 'harness.ts', 'outcomes.jsonl']) {
        expect(paths).toContain(path);
      }
      expect(paths.match(/trajectories\/w1\/.+\.md/gu)?.length).toBeGreaterThan(2);
      const names = tools.map(({ tool }) => tool);
      expect(names.indexOf('grep')).toBeLessThan(names.indexOf('write_candidate'));
      expect(names.filter((name) => name === 'try_candidate')).toHaveLength(1);
    }
  });

  it('settles the last iteration and builds on what it has taught', () => {
    const said = api.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(said).toMatch(/Post-mortem of iteration 2 of cycle 1\./u);
    const tried = iterations.map(({ written }) =>
      written.map(({ draft }) => `${draft.parent} ${draft.changes.join('+')}`),
    );
    const [first = [], ...later] = tried;
    for (const one of later.flat()) expect(first).not.toContain(one);
    expect(new Set(later.flat()).size).toBe(later.flat().length);
  });

  it('B1 says the same again to every conversation that it had', () => {
    const brain = competentProposer();
    for (const { body } of api.requests) {
      const { messages, tools } = body as Conversation;
      const said = messages.findLastIndex(({ role }) => role === 'assistant');
      if (said === -1) continue;
      const turn = brain({ messages: messages.slice(0, said), tools });
      const calls = messages[said]?.content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []));
      expect((turn.calls ?? []).map(({ input }) => input)).toEqual(calls);
    }
  });

  it('B2 writes the same through errors, broken connections and answers that are cut', async () => {
    const soon = { kind: 'status', retryAfterMilliseconds: 1 } as const;
    const faults = faultsAt({
      2: { ...soon, status: 529 },
      4: { kind: 'cut', where: 'block' },
      6: { kind: 'max-tokens' },
      8: { kind: 'error-event' },
      10: { kind: 'max-tokens' },
      12: { ...soon, status: 429 },
    });
    const bad = await startMessagesApi({ brain: competentProposer(), faults });
    const again = new Search({ domain, url: bad.url, tasks: TASKS, count: M, checker });
    await again.start();
    const { written } = await again.iterate(1);
    await bad.close();
    expect(written).toEqual(iterations[0]?.written);
    expect(bad.requests.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(4);
  });
});

describe('the competent proposer with prompts only', () => {
  it('changes nothing but strings of PROMPTS, and stops when it knows no more', async () => {
    const search = new Search({ domain, url: api.url, tasks: 20, count: 4, promptsOnly: true, checker });
    await search.start();
    const { written, end } = await search.iterate(1);
    const unprompted = (source: string) => source.replace(/(?<=export const PROMPTS = \{)[^}]*/u, '');
    expect(written.map(({ rejection }) => rejection)).toEqual([null, null, null]);
    for (const { draft } of written) {
      expect(draft.source).not.toBe(domain.seedHarness);
      expect(unprompted(draft.source)).toBe(unprompted(domain.seedHarness));
    }
    expect(end?.message).toMatch(/3 of 4 candidates are written: nothing else/u);
  });
});
