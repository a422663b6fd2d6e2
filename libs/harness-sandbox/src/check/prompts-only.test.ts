import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { promptsOnlyProblem } from './prompts-only.ts';
import { parse, tokensOf } from './syntax.ts';

const PROMPTS = `export const PROMPTS = {
  system: 'You answer.',
  'the end': "Now.",
  long: \`First.
Then.\`,
};`;
const CODE = `
type Step = { said: string };
const limit = 3;
/** Asks. */
export default function* (task: TaskInput, limits: Limits): Run<Answer> {
  const steps: Step[] = [];
  for (let turn = 0; turn < limit; turn++) {
    const reply = yield* generate([{ role: 'user', content: \`\${PROMPTS.system} \${task.question}\` }], { maxTokens: 8 });
    if (/^answer: *(.*)/.test(reply.text)) return { answer: reply.text.slice(8) ?? null };
    steps.push({ said: reply.text });
  }
  return { answer: steps.at(-1)?.said ?? PROMPTS['the end'] };
}
`;
const PARENT = PROMPTS + CODE;
const problem = (candidate: string, parent = PARENT) => promptsOnlyProblem(parent, candidate);

/** A text as any literal that TypeScript has for it. */
const literal = fc.tuple(fc.string({ unit: 'binary' }), fc.constantFrom('"', "'", '`')).map(
  ([text, quote]) =>
    quote +
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replace(/["'`$]/g, '\\$&') +
    quote,
);

describe('what may differ', () => {
  test('any texts in PROMPTS', () => {
    fc.assert(
      fc.property(literal, literal, literal, (system, end, long) => {
        const prompts = `export const PROMPTS = {\n  system: ${system},\n  'the end': ${end},\n  long: ${long},\n};`;
        expect(problem(prompts + CODE)).toBeUndefined();
      }),
    );
  });

  test('comments and white space, between any two tokens', () => {
    const starts = [...tokensOf(parse(PARENT), parse(PARENT))].map((token) => token.getStart());
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.constantFrom('/* why */', '  ', '\t', '/**/ '), (at, added) => {
        expect(problem(PARENT.slice(0, at) + added + PARENT.slice(at))).toBeUndefined();
      }),
    );
  });

  test.each([
    ['nothing', PARENT],
    ['a comment before it', `// hypothesis: shorter\n${PARENT}`],
    ['a region comment in PROMPTS', PARENT.replace('  long:', '  // region long\n  long:')],
    ['a template for a string', PARENT.replace("'You answer.'", '`You\nanswer.`')],
    ['code as text', PARENT.replace("'You answer.'", "'\\u0027, x: eval(1), y: '")],
    ['what looks like a substitution', PARENT.replace("'You answer.'", "'${process.env}'")],
  ])('%s', (_name, candidate) => {
    expect(problem(candidate)).toBeUndefined();
  });

  test.each([
    ['as const', PROMPTS.replace('};', '} as const;')],
    ['satisfies', PROMPTS.replace('};', '} satisfies Record<string, string>;')],
    ['an annotation', PROMPTS.replace('PROMPTS =', 'PROMPTS: Record<string, string> =')],
    ['parentheses', PROMPTS.replace('= {', '= ({').replace('};', '});')],
    ['exported by name', `${PROMPTS.replace('export ', '')}\nexport { PROMPTS };`],
    [
      'exported under another name',
      `${PROMPTS.replace('export const PROMPTS', 'const TEXTS')}\nexport { TEXTS as PROMPTS };`,
    ],
  ])('texts of PROMPTS with %s', (_name, prompts) => {
    expect(problem(prompts.replace('You answer.', 'Answer.') + CODE, prompts + CODE)).toBeUndefined();
  });
});

describe('what may not', () => {
  const file = parse(PARENT);
  const prompts = new Set(["'You answer.'", '"Now."', '`First.\nThen.`']);
  const tokens = [...tokensOf(file, file)].filter((token) => token.getText() !== '' && !prompts.has(token.getText()));

  test('any token left out, doubled, or another in its place', () => {
    const texts = [...new Set(tokens.map((token) => token.getText()))];
    fc.assert(
      fc.property(
        fc.constantFrom(...tokens),
        fc.oneof(fc.constantFrom('', 'doubled'), fc.constantFrom(...texts, 'x', '1', '"x"')),
        (token, edit) => {
          const [start, end] = [token.getStart(), token.end];
          const text = PARENT.slice(start, end);
          fc.pre(edit !== text);
          const edited = `${PARENT.slice(0, start)} ${edit === 'doubled' ? `${text} ${text}` : edit} ${PARENT.slice(end)}`;
          expect(problem(edited)).toMatchObject({ line: expect.any(Number), message: expect.any(String) });
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each<[string, string, object]>([
    [
      'a constant',
      PARENT.replace('limit = 3', 'limit = 4'),
      { line: 8, message: expect.stringContaining('has `3` here') },
    ],
    ['a string of the code', PARENT.replace("'user'", "'system'"), { line: 13 }],
    ['a template of the code', PARENT.replace('PROMPTS.system} ', 'PROMPTS.system}: '), { line: 13 }],
    ['a regular expression', PARENT.replace('answer: *', 'answer: +'), { line: 14 }],
    ['a type annotation', PARENT.replace('steps: Step[]', 'steps: any[]'), { line: 11 }],
    [
      'a line break that ends a statement',
      PARENT.replace('return { answer: reply', 'return\n{ answer: reply'),
      { line: 14 },
    ],
    [
      'a statement more',
      `${PARENT}globalThis.x = 1;`,
      { line: 19, message: expect.stringContaining('has nothing here') },
    ],
    ['a function less', PROMPTS, { message: expect.stringContaining('only the strings in PROMPTS') }],
    ['a second declaration', PARENT.replace('const limit', 'const other = PROMPTS; const limit'), { line: 8 }],
    ['a shadow', PARENT.replace('const steps', "const PROMPTS = { system: 'x' }; const steps"), { line: 11 }],
    [
      'a key more',
      PARENT.replace("system: 'You answer.',", "system: 'You answer.', more: 'x',"),
      { hint: expect.stringContaining('keys') },
    ],
    ['a key less', PARENT.replace("system: 'You answer.',", ''), { hint: expect.stringContaining('keys') }],
    ['another key', PARENT.replace('system:', 'System:'), { line: 2, hint: expect.stringContaining('keys') }],
    [
      'another order of keys',
      PARENT.replace(
        "  system: 'You answer.',\n  'the end': \"Now.\",",
        "  'the end': \"Now.\",\n  system: 'You answer.',",
      ),
      { hint: expect.stringContaining('keys') },
    ],
    [
      'a template with a substitution',
      PARENT.replace("'You answer.'", '`You ${1}`'),
      { line: 2, hint: expect.stringContaining('no `${}`') },
    ],
    [
      'texts put together',
      PARENT.replace("'You answer.'", "'You ' + 'answer.'"),
      { line: 2, hint: expect.stringContaining('no +') },
    ],
    [
      'a call',
      PARENT.replace("'You answer.'", "'You answer.'.trim()"),
      { line: 2, hint: expect.stringContaining('no call') },
    ],
    ['a name', PARENT.replace("'You answer.'", 'limit'), { line: 2, hint: expect.stringContaining('no name') }],
    ['a tagged template', PARENT.replace("'You answer.'", 'String.raw`x`'), { line: 2 }],
    [
      'a computed key',
      PARENT.replace('system:', "['system']:"),
      { line: 2, hint: expect.stringContaining('computed') },
    ],
    [
      'an accessor',
      PARENT.replace("system: 'You answer.'", "get system() { return 'x' }"),
      { line: 2, hint: expect.stringContaining('accessor') },
    ],
    [
      'a spread',
      PARENT.replace("system: 'You answer.'", "...{ system: 'x' }"),
      { line: 2, hint: expect.stringContaining('spread') },
    ],
    [
      'PROMPTS built by a call',
      PARENT.replace('PROMPTS = {', 'PROMPTS = Object.freeze({').replace('Then.`,\n};', 'Then.`,\n});'),
      { line: 1, hint: expect.stringContaining('object literal') },
    ],
    ['what does not parse', PARENT.replace('return', 'return return'), { line: 14, message: 'Expression expected.' }],
    [
      'a text without an end',
      PARENT.replace("'You answer.',", "'You answer.\n,"),
      { line: 2, message: expect.stringContaining('Unterminated') },
    ],
    ['nothing left', '', { line: 1 }],
  ])('%s', (_name, candidate, expected) => {
    expect(candidate).not.toBe(PARENT);
    expect(problem(candidate)).toMatchObject(expected);
  });

  test.each([
    ['a computed key', '[`system`]: "x"', '[`system`]: "y"'],
    ['texts put together', 'system: "a" + "b"', 'system: "a" + "c"'],
    ['a template with a substitution', 'system: `a ${1}`', 'system: `b ${1}`'],
    ['an object of its own', 'system: { toString: "x" }', 'system: { toString: "y" }'],
  ])('a text that is code in the parent: %s', (_name, before, after) => {
    const source = (property: string) => `export const PROMPTS = { ${property} };\nexport default function* () {}`;
    expect(problem(source(after), source(before))).toMatchObject({ line: 1, hint: expect.any(String) });
  });

  test('a text of another object that is called PROMPTS', () => {
    const parent = `${PROMPTS}\nfunction f() { const PROMPTS = { a: 'x' }; return PROMPTS; }\nexport default function* () {}`;
    expect(problem(parent.replace("a: 'x'", "a: 'y'"), parent)).toMatchObject({ line: 7 });
  });
});
