import { createRequire } from 'node:module';
import { sha256 } from '@whale/kernel';
import { afterAll, describe, expect, test } from 'vitest';
import { HarnessSandbox } from '../harness-sandbox.ts';
import { harness, NATIVE_BOMB, PROMPTS } from '../testing/sources.ts';
import { checkHarness, HarnessChecker, type CheckResult } from './harness-checker.ts';
import { fromRecords } from './smoke.ts';

const domainTypes = `
interface TaskInput { question: string }
interface Tools { search: { args: { query: string; k?: number }; result: { title: string; text: string }[] | { error: string } } }
`;
const sandbox = new HarnessSandbox();
const checker = new HarnessChecker({ sandbox });
afterAll(() => Promise.all([checker.close(), sandbox.close()]));

const onEffect = (effect: { type: string }): unknown =>
  effect.type === 'generate' ? { text: 'r', finish: 'stop' } : [{ title: 't', text: 'd' }];
const smoke = [{ task: { question: 'q' }, limits: { fuel: 1000, stepMillis: 300 }, onEffect }];
const check = (source: string): Promise<CheckResult> => checker.check(source, { domainTypes, smoke });
const bare = (body: string): string => harness(body, '(task, limits)');

describe('plausible harnesses pass', () => {
  test.each([
    [
      'annotated',
      harness(
        `const messages: Message[] = [{ role: 'user', content: task.question }];
      const reply = yield* generate(messages, { stop: ['.'], maxTokens: 5 });
      return { answer: reply.text };`,
        '(task: TaskInput, limits: Limits): Run<Answer>',
      ),
    ],
    [
      'without any annotation',
      bare(`
      const messages = [{ role: 'system', content: PROMPTS.system }];
      messages.push({ role: 'user', content: task.question });
      for (let turn = 0; turn < limits.turns; turn++) {
        const reply = yield { type: 'generate', messages, maxTokens: 5 };
        const match = /r/.exec(reply.text);
        if (match) return { answer: match[0] };
        const docs = yield { type: 'tool', name: 'search', args: { query: reply.text, k: 3 } };
        for (const doc of docs) messages.push({ role: 'tool', content: doc.text });
      }
      return { answer: null };`),
    ],
    [
      'an array that starts empty',
      bare(`const messages = [];
      messages.push({ role: 'user', content: task.question });
      const reply = yield* generate(messages);
      return { answer: reply.text };`),
    ],
    [
      'helpers of both kinds',
      `${PROMPTS}
      function* ask(question) { const r = yield { type: 'generate', messages: [{ role: 'user', content: question }] }; return r.text; }
      function* look(query: string) { const docs = yield* tool('search', { query }); return Array.isArray(docs) ? docs : []; }
      const join = (docs) => docs.map((doc) => doc.text).join();
      export default function* (task) { const docs = yield* look(yield* ask(task.question)); return { answer: join(docs) }; }`,
    ],
    [
      'a named default',
      `${PROMPTS}function* main(task, limits) { return { answer: task.question + limits.turns }; }\nexport default main;`,
    ],
    [
      'a function expression',
      `${PROMPTS}const main: Harness = function* (task) { return { answer: task.question }; };\nexport { main as default };`,
    ],
    ['a destructured task', `${PROMPTS}export default function* ({ question }) { return { answer: question }; }`],
    [
      'prompts as const, a type of its own',
      `export const PROMPTS = { a: 'x' } as const satisfies Record<string, string>;
      type Effect = { mine: true };
      export default function* () { return { answer: PROMPTS.a }; }`,
    ],
    [
      'texts and comments that only look like directives',
      `// Nobody says @ts-ignore in the middle.
      //// <reference lib="dom" />
      /* /// <reference lib="dom" /> */
      // @ts-check
      const text = "// @ts-ignore" + \`\n// @ts-expect-error\n/// <reference lib="dom" />\`;
      const pattern = /[/*]\\/ @ts-ignore/;
      // @ts-nocheck
      ${bare('return { answer: text.replace(pattern, "") };')}
      //# sourceMappingURL=harness.js.map`,
    ],
  ])('%s', async (_name, source) => {
    expect(await check(source)).toEqual({ ok: true, harnessId: sha256(source) });
  });
});

describe('no comment steers the check', () => {
  const wrong = 'return { answer: task.nope };';
  test.each([
    ['@ts-nocheck', `// @ts-nocheck: for now\n${bare(wrong)}`, 1, 'no @ts-nocheck'],
    [
      '@ts-nocheck below a line for a shell',
      `#!/usr/bin/env node\n// @ts-nocheck\n${bare(wrong)}`,
      2,
      'no @ts-nocheck',
    ],
    ['@ts-ignore', bare(`// @ts-ignore\n${wrong}`), 3, 'no @ts-ignore'],
    ['@ts-ignore in a block', bare(`/* @ts-ignore */\n${wrong}`), 3, 'no @ts-ignore'],
    [
      '@ts-ignore in the last line of a block',
      bare(`/**\n * so it is\n * @ts-ignore */\n${wrong}`),
      5,
      'no @ts-ignore',
    ],
    ['@ts-ignore in a template', bare('return { answer: `${/* @ts-ignore */\ntask.nope}` };'), 3, 'no @ts-ignore'],
    ['@ts-expect-error', bare(`// @ts-expect-error it is there\n${wrong}`), 3, 'no @ts-expect-error'],
    [
      'a library',
      `/// <reference lib="dom" />\n${bare('return { answer: document.title };')}`,
      1,
      'no /// <reference>',
    ],
    ['a library, in another case', `/// <Reference LIB="dom" />\n${bare(wrong)}`, 1, 'no /// <reference>'],
    ['a package', `/// <reference types="node" />\n${bare(wrong)}`, 1, 'no /// <reference>'],
    ['a file', `// mine\n/// <reference path="./harness.d.ts" />\n${bare(wrong)}`, 2, 'no /// <reference>'],
    ['no library', `/// <reference no-default-lib="true" />\n${bare(wrong)}`, 1, 'no /// <reference>'],
    ['a name as a module', `/// <amd-module name="x" />\n${bare(wrong)}`, 1, 'no /// <amd-module>'],
    ['a dependency', `/// <amd-dependency path="x" />\n${bare(wrong)}`, 1, 'no /// <amd-dependency>'],
    ['@jsx', `/** @jsx h */\n${bare(wrong)}`, 1, 'no @jsx'],
    ['@jsxFrag', `/** @jsxFrag h */\n${bare(wrong)}`, 1, 'no @jsxfrag'],
    ['@jsxImportSource', `/** @jsxImportSource x */\n${bare(wrong)}`, 1, 'no @jsximportsource'],
    ['@jsxRuntime', `/** @jsxRuntime automatic */\n${bare(wrong)}`, 1, 'no @jsxruntime'],
  ])('%s', async (_name, source, line, message) => {
    expect(await check(source)).toMatchObject({
      ok: false,
      stage: 'structure',
      line,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });
});

describe('a refusal says stage, place, what is wrong and what to do', () => {
  test.each([
    ['an empty file', ' \n', { stage: 'size', message: 'the source is empty' }],
    ['10 MB', ' '.repeat(1e7), { stage: 'size', message: 'the source has 10000000 bytes; at most 262144 are allowed' }],
    ['a syntax error', `${PROMPTS}export default function* ( {\n`, { stage: 'parse', line: 3, column: 1 }],
    [
      'deep nesting',
      `${PROMPTS}const x = ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      { stage: 'parse', message: 'the source is nested too deeply to check' },
    ],
    [
      'no default export',
      PROMPTS,
      {
        stage: 'structure',
        message: 'there is no default export',
        hint: expect.stringContaining('export default function*'),
      },
    ],
    [
      'no PROMPTS',
      'export default function* () { return { answer: "a" } }',
      { stage: 'structure', message: 'there is no export named PROMPTS' },
    ],
    [
      'an arrow function',
      `${PROMPTS}export default () => 5`,
      { stage: 'structure', line: 2, column: 16, message: 'the default export is not a generator function' },
    ],
    [
      'a plain function',
      `${PROMPTS}function main() { return { answer: 'a' } }\nexport default main`,
      { stage: 'structure', line: 3 },
    ],
    [
      'an async generator',
      `${PROMPTS}export default async function* () {}`,
      { stage: 'structure', line: 2, message: 'a harness has no async functions' },
    ],
    [
      'an import',
      `import fs from 'node:fs';\n${bare("return { answer: 'a' }")}`,
      { stage: 'structure', line: 1, message: 'a harness imports nothing' },
    ],
    ['import()', bare("import('node:fs'); return { answer: 'a' }"), { stage: 'structure', line: 3 }],
    [
      'the clock',
      bare('return { answer: String(Date.now()) }'),
      { stage: 'structure', line: 3, column: 25, message: 'a harness has no clock: there is no Date' },
    ],
    [
      'randomness',
      bare('return { answer: String(Math.random()) }'),
      { stage: 'structure', line: 3, message: expect.stringContaining('Math.random') },
    ],
    [
      'a role that is none',
      bare("yield* generate([{ role: 'bot', content: 'x' }]); return { answer: 'a' }"),
      { stage: 'structure', line: 3, column: 26 },
    ],
    [
      'a number in PROMPTS',
      'export const PROMPTS = { a: 5 };\nexport default function* () { return { answer: "a" } }',
      { stage: 'types', line: 1, message: expect.stringContaining("Property 'a'") },
    ],
    [
      'a misspelt field of the task',
      bare('return { answer: task.qestion }'),
      { stage: 'types', line: 3, column: 23, message: expect.stringContaining("Did you mean 'question'?") },
    ],
    [
      'an unknown tool',
      bare("const r = yield* tool('serch', { query: 'x' }); return { answer: 'a' }"),
      { stage: 'types', line: 3, message: expect.stringContaining('"search"') },
    ],
    [
      'a misspelt argument, raw',
      bare("yield { type: 'tool', name: 'search', args: { qery: 'x' } }; return { answer: 'a' }"),
      { stage: 'types', line: 3, message: expect.stringContaining("Did you mean to write 'query'?") },
    ],
    ['a number as answer', bare('return { answer: 5 }'), { stage: 'types', line: 3, column: 10 }],
    [
      'no return',
      bare("yield* generate([{ role: 'user', content: 'x' }]);"),
      { stage: 'types', line: 2, hint: expect.stringContaining('return { answer }') },
    ],
    [
      'a possible null',
      bare('return { answer: /x/.exec("a")[1] }'),
      { stage: 'types', line: 3, hint: expect.stringContaining('?.') },
    ],
    [
      'console',
      bare('console.log(1); return { answer: "a" }'),
      { stage: 'types', line: 3, hint: expect.stringContaining('no console') },
    ],
    [
      'an enum',
      `${bare("return { answer: 'a' }")}enum A { B }`,
      { stage: 'types', line: 5, hint: expect.stringContaining('types are stripped') },
    ],
    [
      'an endless loop',
      bare('for (;;);'),
      { stage: 'smoke', line: expect.any(Number), message: expect.stringMatching(/^FUEL: /) },
    ],
    [
      'a native bomb',
      NATIVE_BOMB.replace("'b')", "'b'); return { answer: 'a' }"),
      { stage: 'smoke', message: expect.stringMatching(/^WATCHDOG: /) },
    ],
    [
      'a gigabyte',
      bare('const b: number[][] = []; for (;;) b.push(new Array(1000).fill(1))'),
      { stage: 'smoke', message: expect.stringMatching(/^MEMORY: /) },
    ],
    [
      'never done',
      bare("for (;;) yield* generate([{ role: 'user', content: 'x' }])"),
      { stage: 'smoke', hint: 'count against limits.turns and return { answer } before' },
    ],
    ['throw null', bare('throw null'), { stage: 'smoke', message: 'RUNTIME: threw null, which is not an Error' }],
    [
      'an error at run time',
      bare('const o: any = {};\nreturn { answer: o.a.b }'),
      { stage: 'smoke', line: 4, message: expect.stringContaining("cannot read property 'b'") },
    ],
  ])('%s', async (_name, source, expected) => {
    expect(await check(source)).toMatchObject({ ok: false, ...expected });
  });

  test('further problems of the same stage come along', async () => {
    const result = await check(bare('const a: string = 1;\nconst b: string = 2;\nreturn { answer: a + b }'));
    expect(result).toMatchObject({ stage: 'types', line: 3, more: [{ line: 4 }] });
  });

  test('columns are those of the source, also right of annotations that were put in', async () => {
    const source = `${PROMPTS}export default function* (task, limits) { return { answer: task.nope }; }`;
    const column = (source.split('\n')[1] ?? '').indexOf('nope') + 1;
    expect(await check(source)).toMatchObject({ line: 2, column });
  });
});

test('smoke on recorded effects of another harness', async () => {
  const recorded = fromRecords([
    { effect: { type: 'tool', name: 'search', args: {} }, result: [{ title: 't', text: 'd1' }] },
    { effect: { type: 'generate', messages: [] }, result: { text: 'r1', finish: 'stop' } },
    { effect: { type: 'generate', messages: [] }, result: { text: 'r2', finish: 'stop' } },
  ]);
  const body = `
    const texts: string[] = [];
    for (let i = 0; i < 3; i++) texts.push((yield* generate([{ role: 'user', content: 'x' }])).text);
    const docs = yield* tool('search', { query: 'x' });
    const other = yield { type: 'tool', name: 'other', args: {} } as any;
    if (texts.join() + docs[0].text + other.error !== 'r1,r2,r2d1no recorded result') throw new Error(texts.join());
    return { answer: 'a' };`;
  const run = { task: { question: 'q' }, onEffect: recorded };
  expect(
    await checker.check(harness(body), { smoke: [run], domainTypes: domainTypes.replace('[] |', '[] & any |') }),
  ).toMatchObject({ ok: true });
});

test('declarations of the domain that do not compile are the domain’s fault', async () => {
  const checking = checker.check(bare("return { answer: 'a' }"), { domainTypes: '\ninterface Tools { x: Foo }' });
  await expect(checking).rejects.toMatchObject({ code: 'DOMAIN_TYPES', message: expect.stringContaining('line 2') });
});

test('types that take too long are refused, and the checker serves on', async () => {
  const hasty = new HarnessChecker({ checkMillis: 1 });
  const results = await Promise.all([hasty.check(harness('')), hasty.check(harness(''))]);
  for (const result of results) expect(result).toMatchObject({ stage: 'types', hint: 'simplify the types' });
  await hasty.close();
  expect(await check(bare("return { answer: 'a' }"))).toMatchObject({ ok: true });
});

test('the compiler is loaded in its own thread only, and checkHarness ends its threads', async () => {
  const source = bare('return { answer: task.question }');
  expect(await checkHarness(source, { domainTypes, smoke })).toMatchObject({ ok: true });
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  expect(loaded.filter((path) => /[\\/](typescript|wasm-typescript)[\\/]/.test(path))).toEqual([]);
});
