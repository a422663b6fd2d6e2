import { sha256 } from '@whale/kernel';
import { expect, it } from 'vitest';
import type { ToolCall } from '../messages-api/brain.ts';
import { Host } from './support/host.ts';
import { broken, claudeSpec, H0, harness, proposalRequest, writing } from './support/request.ts';
import { bodies, claude, resultTexts, serve } from './support/serve.ts';
import { billed, counted, kinds } from './support/totals.ts';

const read = (path: string): ToolCall => ({ name: 'read_file', input: { path } });
const grep = (pattern: string): ToolCall => ({ name: 'grep', input: { pattern } });

it('reads, tries, writes, mends what is rejected, and ends with the batch', async () => {
  const parent = sha256(H0);
  const api = await serve([
    { thinking: 'First the index.', calls: [read('index.md'), grep('h1')] },
    {
      calls: [
        { name: 'check_candidate', input: { source: broken('two'), parent } },
        { name: 'try_candidate', input: { source: harness('two'), parent, task_ids: ['h2', 'h1'] } },
      ],
    },
    { calls: [writing(broken('two'), { name: 'first' }), writing(harness('two'), { name: 'second' })] },
    { calls: [writing(harness('three')), read('history.jsonl')] },
  ]);
  const host = new Host();
  expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();

  const hypothesis = 'Fewer failures lack an answer; refuted unless more than 10 of 40 are correct.';
  const drafted = { parent, hypothesis, changes: ['answers something'] };
  expect(host.judged.map(({ draft }) => draft)).toEqual([
    { source: broken('two'), ...drafted },
    { source: harness('two'), ...drafted },
    { source: harness('three'), ...drafted },
  ]);
  expect(host.judged.map(({ rejection }) => rejection?.stage)).toEqual(['types', undefined, undefined]);
  expect(host.asked).toEqual([
    `check ${sha256(broken('two')).slice(0, 8)}`,
    // Tried too is what passes the checks up to where it can run.
    `check ${sha256(harness('two')).slice(0, 8)}`,
    `try ${sha256(harness('two')).slice(0, 8)} h2 h1`,
  ]);
  // Nothing is asked or read once the batch is full.
  expect(kinds(host.entries)).toBe('begun call tool tool begun call tool tool begun call tool tool begun call');

  const [, second, third, fourth] = bodies(api);
  expect(resultTexts(second)).toEqual([
    '1\thistory.jsonl has all.',
    expect.stringMatching(
      /^history\.jsonl:2: \{"id":"h1"\}\n\[Left: 39 of 40 calls, .* Valid candidates: 0 of 2\.\]$/u,
    ),
  ]);
  expect(resultTexts(third)[0]).toContain("Rejected at the stage `types`, line 3: Cannot find name 'broken'.");
  expect(resultTexts(third)[0]).toContain('> 3 |   return broken;');
  expect(resultTexts(third)[1]).toMatch(
    /^Task h2\n {2}1\. \{"type":"tool","name":"search".*\n {5}\(live\) \["found"\]\n {2}2\./u,
  );
  expect(resultTexts(fourth)[0]).toContain('> 3 |   return broken;');
  expect(resultTexts(fourth)[1]).toContain(
    `second is a valid candidate: it will be measured. Its id is ${sha256(harness('two'))}.`,
  );
  expect(resultTexts(fourth)[1]).toContain('Valid candidates: 1 of 2.');
  const errors = fourth?.messages.at(-1)?.content.map((block) => block.is_error ?? false);
  expect(errors).toEqual([true, false]);
});

it('tells each step with its cost, what it read and a short form of its arguments', async () => {
  const api = await serve([
    { calls: [read('index.md'), read('../secret'), writing(harness('two'))] },
    { calls: [writing(harness('two')), writing(harness('three'))] },
  ]);
  const host = new Host();
  await host.run(claude(), proposalRequest(claudeSpec(api.url)));
  const steps = host.entries.flatMap((entry) => (entry.kind === 'step' ? [entry.step] : []));
  expect(steps).toMatchObject([
    { kind: 'call', turn: 1, model: 'claude-sonnet-4-6', stopReason: 'tool_use' },
    {
      kind: 'tool',
      turn: 1,
      tool: 'read_file',
      input: '{"path":"index.md"}',
      paths: ['index.md'],
      bytes: 24,
      error: null,
    },
    { kind: 'tool', turn: 1, tool: 'read_file', paths: [], error: expect.stringContaining('workspace') },
    {
      kind: 'tool',
      turn: 1,
      tool: 'write_candidate',
      input: expect.stringContaining('"source":"(87 characters)"'),
      error: null,
    },
    { kind: 'call', turn: 2 },
    { kind: 'tool', turn: 2, error: 'This very text was written before, as a-name. Change what it does.' },
  ]);
  expect(steps.every((step) => (step.milliseconds ?? -1) >= 0)).toBe(true);
  expect(counted(host.entries).tokens).toBe(billed(api.requests).tokens);
  expect(counted(host.entries).usd).toBeCloseTo(billed(api.requests).usd, 12);
  expect(host.judged).toHaveLength(2);
});

it('C4 answers every call once and in order, also those that it cannot run', async () => {
  const calls = [
    read('no-such-file'),
    { name: 'read_file', input: { file: 'index.md' } },
    writing(harness('x'), { hypothesis: ' ' }),
    writing(harness('x'), { parent: 'ffffffff' }),
    { name: 'try_candidate', input: { source: harness('x'), parent: sha256(H0), task_ids: ['t1'] } },
    { name: 'try_candidate', input: { source: broken('x'), parent: sha256(H0), task_ids: ['h1'] } },
    {
      name: 'try_candidate',
      input: { source: harness('x'), parent: sha256(H0), task_ids: ['h1', 'h2', 'a', 'b', 'c', 'd'] },
    },
  ];
  const api = await serve([{ calls }, { text: 'That is all.' }, { text: 'Really.' }]);
  const host = new Host();
  await host.run(claude(), proposalRequest(claudeSpec(api.url)));
  const [, second] = bodies(api);
  const [asked, answered] = second?.messages.slice(-2) ?? [];
  expect(answered?.content.map((block) => block.tool_use_id)).toEqual(asked?.content.map(({ id }) => id));
  expect(answered?.content.every((block) => block.is_error === true)).toBe(true);
  const texts = resultTexts(second);
  expect(texts[0]).toContain('no-such-file');
  expect(texts[1]).toContain('The input of read_file is not valid:\npath:');
  expect(texts[2]).toContain('hypothesis: Too small');
  expect(texts[3]).toContain('No harness has an id that begins with ffffffff');
  expect(texts[4]).toContain('Not among the tasks that harnesses are scored on: t1.');
  expect(texts[5]).toContain("Cannot find name 'broken'.");
  expect(texts[6]).toContain('task_ids: Too big');
  expect(host.judged).toEqual([]);
  expect(host.asked).toEqual([`check ${sha256(broken('x')).slice(0, 8)}`]);
});

it('a result without a word is sent as one', async () => {
  const trial = { name: 'try_candidate', input: { source: harness('x'), parent: sha256(H0), task_ids: ['h1'] } };
  const api = await serve([{ calls: [trial] }, { calls: [writing(harness('two')), writing(harness('three'))] }]);
  const host = new Host();
  host.trials = () => [];
  expect(await host.run(claude(), proposalRequest(claudeSpec(api.url)))).toBeNull();
  expect(resultTexts(bodies(api)[1])[0]).toMatch(/^\(nothing\)\n\[Left/u);
});

it('keeps the prompt in the cache: four breakpoints, and each call reads what the one before has written', async () => {
  const turns = Array.from({ length: 5 }, (_, n) => ({
    thinking: `Step ${n}.`,
    // More blocks than the API looks back from one breakpoint.
    calls: Array.from({ length: 25 }, () => read(`folder-${n}`)),
  }));
  const api = await serve([...turns, { calls: [writing(harness('two')), writing(harness('three'))] }]);
  await new Host().run(claude(), proposalRequest(claudeSpec(api.url)));
  const marks = bodies(api).map(({ tools, system, messages }) =>
    [...tools, ...system, ...messages.flatMap(({ content }) => content)].filter(
      (one) => one.cache_control !== undefined,
    ),
  );
  expect(marks.map((marked) => marked.length)).toEqual([3, 4, 4, 4, 4, 4]);
  const usages = api.requests.map(({ usage }) => usage);
  for (const [place, usage] of usages.entries()) {
    const before = usages[place - 1];
    const known = before === undefined ? 0 : before.cache_read_input_tokens + before.cache_creation_input_tokens;
    expect(usage?.cache_read_input_tokens, `call ${place + 1}`).toBe(known);
    expect(usage?.input_tokens).toBe(0);
  }
  // What was thought came back as it was: the server refuses it otherwise.
  const thought = bodies(api)
    .at(-1)
    ?.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'thinking'));
  expect(thought?.map((block) => block['thinking'])).toEqual(turns.map(({ thinking }) => thinking));
});

it.each([
  ['adaptive' as const, 'claude-opus-5', { type: 'adaptive' }],
  ['off' as const, 'claude-haiku-4-5', { type: 'disabled' }],
  [{ budgetTokens: 2_000 }, 'claude-haiku-4-5', { type: 'enabled', budget_tokens: 2_000 }],
  [{ budgetTokens: 9_000 }, 'claude-haiku-4-5', { type: 'enabled', budget_tokens: 7_000 - 1_024 }],
])('asks for thinking as the spec says: %j', async (thinking, model, sent) => {
  const api = await serve([
    { thinking: 'Hm.', calls: [read('index.md')] },
    { calls: [writing(harness('two')), writing(harness('three'))] },
  ]);
  const host = new Host();
  await host.run(claude(), proposalRequest(claudeSpec(api.url, { model, thinking, maxTokens: 7_000 })));
  expect(bodies(api).map((body) => [body.model, body.max_tokens, body.thinking])).toEqual([
    [model, 7_000, sent],
    [model, 7_000, sent],
  ]);
  expect(host.judged).toHaveLength(2);
});

it('tells what is wanted and nothing of any task', async () => {
  const api = await serve([{ calls: [writing(harness('two'))] }]);
  const request = proposalRequest(claudeSpec(api.url), { count: 1, promptsOnly: true });
  await new Host().run(claude(), request);
  const [body] = bodies(api);
  const brief = body?.messages[0]?.content[0]?.text ?? '';
  expect(brief).toContain('Write 1 candidate for iteration 2 of the harness phase in cycle 1.');
  expect(brief).toContain(`The incumbent is harnesses/${sha256(H0).slice(0, 12)}/ (10 of 40 tasks correct).`);
  expect(brief).toContain(`The last iteration, number 1, measured harnesses/${sha256(harness('one')).slice(0, 12)}/.`);
  expect(brief).toContain('weights w1');
  expect(brief).toContain('PROMPTS ONLY');
  const all = JSON.stringify(body);
  for (const word of [request.domain.dataset, 'Who?']) expect(all).not.toContain(`"${word}"`);
  expect(all).not.toContain('Who?');
  expect(body?.tools.map(({ name }) => name)).toEqual([
    'list_files',
    'read_file',
    'grep',
    'check_candidate',
    'try_candidate',
    'write_candidate',
  ]);
  expect(body?.tools.at(-1)?.input_schema.required).toEqual(['name', 'source', 'parent', 'hypothesis', 'changes']);
});
