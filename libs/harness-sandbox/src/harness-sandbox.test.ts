import type { Effect } from '@whale/contracts';
import { WhaleError } from '@whale/kernel';
import { afterAll, describe, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import { harness, LOOP, PROMPTS } from './testing/sources.ts';

const sandbox = new HarnessSandbox();
afterAll(() => sandbox.close());

const answer = (effect: Effect): unknown =>
  effect.type === 'generate'
    ? { text: `re:${effect.messages.at(-1)?.content}`, finish: 'stop' }
    : { text: `${effect.name}(${JSON.stringify(effect.args)})` };

const run = (source: string, limits = {}) => sandbox.run({ source, task: { question: 'q' }, limits, onEffect: answer });

async function failure(source: string, limits = {}): Promise<{ code: string; message: string }> {
  const { end } = await run(source, limits);
  if (end.kind !== 'harness_error') throw new Error(`ended as ${JSON.stringify(end)}`);
  return end;
}

describe('effects and answers', () => {
  test('effects go out, results come in, both are recorded', async () => {
    const { end, effects } = await run(LOOP);
    expect(end).toEqual({
      kind: 'answered',
      answer:
        're:q0 search({"query":"re:q0","k":1}) re:q1 search({"query":"re:q1","k":2}) re:q2 search({"query":"re:q2","k":3})',
    });
    expect(effects).toHaveLength(6);
    expect(effects[0]).toEqual({
      effect: { type: 'generate', messages: [{ role: 'user', content: 'q0' }], maxTokens: 8 },
      result: { text: 're:q0', finish: 'stop' },
    });
  });

  test('a raw yield does what the helpers do', async () => {
    const { end } = await run(
      harness(`const r = yield { type: 'generate', messages: [{ role: 'user', content: PROMPTS.system }] };
        return { answer: r.text };`),
    );
    expect(end).toEqual({ kind: 'answered', answer: 're:You answer.' });
  });

  test('the harness knows its limits', async () => {
    const { end } = await run(harness('return { answer: JSON.stringify(limits) }'), { turns: 3, contextTokens: 144 });
    expect(end).toMatchObject({ answer: '{"turns":3,"effects":64,"maxTokens":1024,"contextTokens":144}' });
  });

  test('a null answer is none', async () => {
    expect((await run(harness('return { answer: null }'))).end).toEqual({ kind: 'truncated', reason: 'no_answer' });
  });

  test('over the turns or the effects it is truncated, with what was done', async () => {
    const turns = await run(harness("for (;;) yield* generate([{ role: 'user', content: 'x' }]);"), { turns: 2 });
    expect(turns.end).toEqual({ kind: 'truncated', reason: 'turns' });
    expect(turns.effects).toHaveLength(2);
    const effects = await run(harness("for (;;) yield* tool('x', {});"), { effects: 5 });
    expect(effects.end).toEqual({ kind: 'truncated', reason: 'effects' });
    expect(effects.effects).toHaveLength(5);
  });

  test('too large a result reaches the harness as an error', async () => {
    const { end } = await sandbox.run({
      source: harness("const r = yield* tool('x', {}); return { answer: r.error }"),
      task: {},
      limits: { resultBytes: 100 },
      onEffect: () => 'x'.repeat(200),
    });
    expect(end).toMatchObject({ answer: 'the result has 202 bytes of JSON; at most 100 are allowed' });
  });
});

describe('harness errors have a code, the line of the source, and words', () => {
  test.each([
    ['a thrown Error', harness('\n\n  throw new TypeError("boo")'), 'RUNTIME', 'harness.ts:5:13: TypeError: boo'],
    [
      'an error in a helper',
      `${PROMPTS}function f(x: any) {\n  return x.y.z;\n}\nexport default function* () { f({}); }`,
      'RUNTIME',
      'harness.ts:3:10: TypeError: cannot read',
    ],
    ['an error while loading', `${PROMPTS}\nnull.x;`, 'RUNTIME', 'harness.ts:3:1'],
    ['throw null', harness('throw null'), 'RUNTIME', 'threw null, which is not an Error'],
    ['throw a string', harness('throw "out of memory"'), 'RUNTIME', 'threw "out of memory", which is not an Error'],
    ['throw a Symbol', harness('throw Symbol("s")'), 'RUNTIME', 'threw Symbol(s), which is not an Error'],
    ['throw a Proxy', harness('throw new Proxy({}, { get() { throw 1 } })'), 'RUNTIME', 'cannot be described'],
    [
      'endless recursion',
      harness('function g(): any { return g() + 1 }\ng()'),
      'RUNTIME',
      'Maximum call stack size exceeded',
    ],
    [
      'no clock',
      harness('return { answer: String(Date.now()) }'),
      'RUNTIME',
      'harness.ts:3:25: ReferenceError: Date is not defined',
    ],
    ['no eval', harness('return { answer: (0, eval)("1") }'), 'RUNTIME', 'eval is not defined'],
    [
      'no Function constructor',
      harness('return { answer: (() => 1).constructor("return 1")() }'),
      'RUNTIME',
      'eval is not supported',
    ],
    [
      'a yielded number',
      harness('yield 5'),
      'EFFECT_SHAPE',
      'effect 1: effect: Invalid input: expected object, received number',
    ],
    ['a yielded function', harness('yield () => 1'), 'EFFECT_SHAPE', 'yielded a function'],
    ['a circular effect', harness('const a: any = {}; a.a = a; yield a'), 'EFFECT_SHAPE', 'circular reference'],
    ['an unknown effect', harness("yield { type: 'sleep' }"), 'EFFECT_SHAPE', 'effect.type'],
    [
      'an unknown role',
      harness("yield* generate([{ role: 'bot', content: 'x' }])"),
      'EFFECT_SHAPE',
      'effect.messages[0].role',
    ],
    [
      'an unknown option',
      harness("yield* generate([{ role: 'user', content: 'x' }], { temperature: 1 })"),
      'EFFECT_SHAPE',
      '"temperature"',
    ],
    [
      'nesting',
      harness("let a: any = []; for (let i = 0; i < 1e5; i++) a = [a];\nyield* tool('x', { a })"),
      'EFFECT_SHAPE',
      'JSON cannot carry',
    ],
    [
      'a number as answer',
      harness('return { answer: 5 }'),
      'ANSWER_SHAPE',
      'returned an answer that is a number; return { answer }',
    ],
    ['no return', harness(''), 'ANSWER_SHAPE', 'returned undefined; return { answer }'],
    [
      'a getter that fails',
      harness('return { get answer() { throw new Error("no") } }'),
      'RUNTIME',
      'harness.ts:3:35: Error: no',
    ],
    ['a syntax error', 'export const PROMPTS = {};\nexport default function* ( {', 'PARSE', 'harness.ts:2:'],
    ['a repeated let', `${PROMPTS}let a;\nlet a;`, 'PARSE', 'harness.ts:3'],
    ['an enum', 'enum A { B }', 'PARSE', 'harness.ts:1:1: TypeScript enum is not supported'],
    ['deep nesting', `${PROMPTS}export default ${'('.repeat(60_000)}`, 'PARSE', 'nested too deeply'],
    ['an import', `import fs from 'node:fs';\n${harness('')}`, 'STRUCTURE', 'imports nothing'],
    ['an empty file', '', 'STRUCTURE', 'there is no default export'],
    ['no default export', PROMPTS, 'STRUCTURE', 'there is no default export'],
    ['a function that is no generator', `${PROMPTS}export default () => 5`, 'STRUCTURE', 'not a generator function'],
    ['an async generator', `${PROMPTS}export default async function* () {}`, 'STRUCTURE', 'not a generator function'],
    [
      'a number in PROMPTS',
      'export const PROMPTS = { a: 5 }; export default function* () {}',
      'STRUCTURE',
      'PROMPTS.a is a number',
    ],
    ['no PROMPTS', 'export default function* () {}', 'STRUCTURE', 'no export named PROMPTS'],
    ['top-level await of a value', `${harness('')}await 5;`, 'STRUCTURE', 'no top-level await'],
  ])('%s', async (_name, source, code, message) => {
    const error = await failure(source);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test('a getter on the answer is read once', async () => {
    const { end } = await run(harness("let n = 0; return { get answer() { return n++ ? 5 : 'once' } }"));
    expect(end).toEqual({ kind: 'answered', answer: 'once' });
  });

  test('sizes', async () => {
    expect(await failure(' '.repeat(10_000_000))).toMatchObject({ code: 'SOURCE_TOO_LARGE' });
    expect(await failure(harness("return { answer: 'x'.repeat(1e5) }"))).toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    const big = harness("yield* generate([{ role: 'user', content: 'x'.repeat(2e6) }])");
    expect(await failure(big)).toMatchObject({ code: 'EFFECT_TOO_LARGE' });
  });

  test('what is kept of a rollout is bounded', async () => {
    const much = harness("for (;;) yield* tool('x', { a: 'x'.repeat(1000) })");
    const { end, effects } = await run(much, { recordBytes: 5000, effects: 100 });
    expect(end).toMatchObject({ code: 'RECORD_TOO_LARGE', message: expect.stringContaining('5000 bytes') });
    expect(effects.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(JSON.stringify(effects))).toBeLessThan(6000);
  });

  test('so is what is said of an error', async () => {
    const { message } = await failure(harness("throw new Error('\\u{1f600}'.repeat(1e5))"));
    expect(message.length).toBeLessThan(5000);
    expect(message).not.toMatch(/\p{Surrogate}/u);
  });

  test('an effect is looked at without a walk through its arguments', async () => {
    const deep = (levels: number) =>
      harness(
        `yield { type: 'tool', name: 'x', args: JSON.parse('{"a":' + '['.repeat(${levels}) + ']'.repeat(${levels}) + '}') }; return { answer: 'a' }`,
      );
    expect((await run(deep(98))).end.kind).toBe('answered');
    expect(await failure(deep(99))).toMatchObject({
      code: 'EFFECT_SHAPE',
      message: expect.stringContaining('100 levels'),
    });
    const wrong = harness(
      "const m = { role: 'user', content: 'x' }; yield { type: 'generate', messages: [m, m, { ...m, role: 'x' }], stop: ['a', 1] }",
    );
    expect((await failure(wrong)).message).toContain('effect.messages[2].role');
    const stop = harness("yield { type: 'generate', messages: [{ role: 'user', content: 'x' }], stop: ['a', 1] }");
    expect((await failure(stop)).message).toContain('effect.stop[1]');
  });

  test('a source that broke the parser does not spoil the next', async () => {
    await failure(`${PROMPTS}export default ${'('.repeat(60_000)}`);
    expect((await run(harness("const a: string = 'ok'; return { answer: a }"))).end).toMatchObject({ answer: 'ok' });
  });
});

describe('errors that are not the harness’s', () => {
  test('a rejected effect is the rejection of the run', async () => {
    const down = new WhaleError('DOWN', 'no server', { retryable: true });
    const running = sandbox.run({ source: LOOP, task: { question: 'q' }, onEffect: () => Promise.reject(down) });
    await expect(running).rejects.toBe(down);
  });

  test('an effect that ends its rollout early leaves the place to the next', async () => {
    class Enough extends Error {}
    const narrow = new HarnessSandbox({ maxLive: 1 });
    const asked: number[] = [];
    const start = (last: number) =>
      narrow.run({
        source: LOOP,
        task: { question: 'q' },
        onEffect: (effect, index) => {
          asked.push(index);
          if (index === last) throw new Enough();
          return answer(effect);
        },
      });
    for (const last of [0, 3, 0, 5]) await expect(start(last)).rejects.toBeInstanceOf(Enough);
    expect(asked).toEqual([0, 0, 1, 2, 3, 0, 0, 1, 2, 3, 4, 5]);
    expect((await start(-1)).end.kind).toBe('answered');
    await narrow.close();
  });

  test('a result without JSON form', async () => {
    const running = sandbox.run({ source: LOOP, task: { question: 'q' }, onEffect: () => undefined });
    await expect(running).rejects.toMatchObject({ code: 'EFFECT_RESULT' });
  });

  test('an aborted run rejects with the reason, at an effect and in a loop, and the worker serves on', async () => {
    const controller = new AbortController();
    const waiting = sandbox.run({
      source: LOOP,
      task: { question: 'q' },
      signal: controller.signal,
      onEffect: () => new Promise(() => controller.abort(new Error('enough'))),
    });
    await expect(waiting).rejects.toThrow('enough');
    const looping = sandbox.run({
      source: harness('for (;;);'),
      task: {},
      limits: { fuel: 1_000_000_000 },
      signal: AbortSignal.timeout(100),
      onEffect: answer,
    });
    await expect(looping).rejects.toMatchObject({ name: 'TimeoutError' });
    expect((await run(LOOP)).end.kind).toBe('answered');
  });

  test('bad limits', async () => {
    await expect(run(LOOP, { turns: -1 })).rejects.toThrow(/turns/);
    await expect(run(LOOP, { turn: 1 })).rejects.toThrow(/turn/);
  });

  test('close rejects what runs', async () => {
    const own = new HarnessSandbox();
    const running = own.run({
      source: LOOP,
      task: { question: 'q' },
      onEffect: () => new Promise(() => void own.close()),
    });
    await expect(running).rejects.toMatchObject({ code: 'SANDBOX_CLOSED' });
    await expect(own.run({ source: LOOP, task: {}, onEffect: answer })).rejects.toMatchObject({
      code: 'SANDBOX_CLOSED',
    });
  });
});
