import { afterAll, describe, expect, test } from 'vitest';
import { HarnessChecker } from './harness-checker.ts';
import { literalsOf } from './literals.ts';
import { normalForm } from './normal-form.ts';

describe('normal form', () => {
  const source = `export const PROMPTS = { system: 'a' };
export default function* (task, limits) {
  const [x, y] = [1000, { a: task.q, b: [1, 2] }];
  for (let i = 0; i < x; i++) if (y.a?.b) return { answer: 'x' };
  return { answer: null };
}`;

  test.each<[string, (text: string) => string]>([
    ['comments', (text) => `// first\n${text.replaceAll(';', '; /* then */')}\n/** last */`],
    [
      'white space',
      (text) =>
        text.replaceAll(' ', '\n ').replaceAll('return\n {', 'return {').replaceAll('return\n null', 'return null'),
    ],
    [
      'type annotations',
      (text) =>
        text
          .replace('task, limits', 'task: TaskInput, limits: Limits')
          .replace(' {\n  const', ': Run<Answer> {\n  const')
          .replace('= [1000', ': [number, any] = [1000 as number'),
    ],
    ['types and interfaces of its own', (text) => `type A = string;\ninterface B { c: A }\n${text}`],
    [
      'satisfies, as const and !',
      (text) =>
        text.replace("{ system: 'a' }", "{ system: 'a' } as const satisfies object").replace('y.a?.b', 'y!.a?.b'),
    ],
    [
      'commas at the end',
      (text) => text.replace("'a' }", "'a', }").replace('[1, 2]', '[1, 2,]').replace('limits)', 'limits,)'),
    ],
    ['semicolons', (text) => text.replaceAll('};', '}').replace('null };', 'null };;')],
    ['quotes', (text) => text.replaceAll("'", '"')],
    ['escapes', (text) => text.replace("'a'", "'\\x61'")],
    ['parentheses', (text) => text.replace('i < x', '(i < (x))').replace('task.q', '(task).q')],
    ['ways to write a number', (text) => text.replace('1000', '1_000')],
  ])('%s do not count', (_name, edit) => {
    const edited = edit(source);
    expect(edited).not.toBe(source);
    expect(normalForm(edited)).toBe(normalForm(source));
  });

  test.each<[string, string, string]>([
    ['a name', 'const x = 1; f(x);', 'const y = 1; f(y);'],
    ['a text', "f('a');", "f('a ');"],
    ['an operator', 'f(a + b * c);', 'f(a * b + c);'],
    ['parentheses that are needed', 'f((a + b) * c);', 'f(a + b * c);'],
    ['the end of an optional chain', 'f((a?.b).c);', 'f(a?.b.c);'],
    ['the parts of a for', 'for (a; ; ) f();', 'for (; a; ) f();'],
    ['holes', 'f([, a]);', 'f([a]);'],
    ['a comma as operator', 'f((a, b));', 'f(a, b);'],
    ['a semicolon as a body', 'while (a()); f();', 'while (a()) f();'],
    ['a line break after return', 'function f() { return\n1 }', 'function f() { return 1 }'],
    ['spaces in a template', 'f(`a ${b}`);', 'f(`a  ${b}`);'],
    ['flags', 'f(/a/g);', 'f(/a/);'],
  ])('%s counts', (_name, one, other) => {
    expect(normalForm(one)).not.toBe(normalForm(other));
  });
});

describe('literals', () => {
  test('all that is worded, in order, with lines', () => {
    const source = `#!/usr/bin/env whale
// Who wrote it?
export const PROMPTS = {
  system: 'You \\u0061nswer.', /* on the line */
  /**
   * Two
   * lines.
   */
  long: \`First
second\`,
};
export default function* (task) {
  const n = 0x10 + 2n; // a number
  const match = /gold(en)?\\/s/iu.exec(\`in \${task.question} of \${'now'}!\`);
  return { answer: match?.['key'] }; // end
}
/* after all */`;
    expect(literalsOf(source).filter(({ kind }) => kind !== 'name')).toEqual([
      { kind: 'comment', text: '/usr/bin/env whale', line: 1 },
      { kind: 'comment', text: 'Who wrote it?', line: 2 },
      { kind: 'string', text: 'You answer.', line: 4 },
      { kind: 'comment', text: 'on the line', line: 4 },
      { kind: 'comment', text: 'Two\n lines.', line: 5 },
      { kind: 'string', text: 'First\nsecond', line: 9 },
      { kind: 'number', text: '0x10', line: 13 },
      { kind: 'number', text: '2n', line: 13 },
      { kind: 'comment', text: 'a number', line: 13 },
      { kind: 'regexp', text: 'gold(en)?\\/s', line: 14 },
      { kind: 'template', text: 'in ', line: 14 },
      { kind: 'template', text: ' of ', line: 14 },
      { kind: 'string', text: 'now', line: 14 },
      { kind: 'template', text: '!', line: 14 },
      { kind: 'string', text: 'key', line: 15 },
      { kind: 'comment', text: 'end', line: 15 },
      { kind: 'comment', text: 'after all', line: 17 },
    ]);
    const names = literalsOf(source).filter(({ kind }) => kind === 'name');
    expect(names.map(({ text }) => text).join(' ')).toBe(
      'PROMPTS system long task n match exec task question answer match',
    );
  });

  test('names hide nothing: properties, private names, types, escapes', () => {
    const names = literalsOf(
      'type Hamlet = { king: 1 }; class A { #q = 1; m() { return this.#q; } } const \\u0061bc = 1;',
    );
    expect(names.filter(({ kind }) => kind === 'name').map(({ text }) => text)).toEqual([
      'Hamlet',
      'king',
      'A',
      '#q',
      'm',
      '#q',
      'abc',
    ]);
  });

  test('a source that does not parse is read all the same', () => {
    expect(literalsOf("const a = 'secret; (((\n/* open")).toContainEqual({
      kind: 'string',
      text: 'secret; (((',
      line: 1,
    });
    expect(literalsOf('')).toEqual([]);
  });
});

describe('in the checker’s thread', () => {
  const checker = new HarnessChecker();
  afterAll(() => checker.close());
  const deep = `f(${'['.repeat(50_000)}${']'.repeat(50_000)});`;

  test('the same answers', async () => {
    expect(await checker.normalForm('f( 1, );')).toBe(normalForm('f(1)'));
    expect(await checker.literalsOf("'a'")).toEqual([{ kind: 'string', text: 'a', line: 1 }]);
    const source = (text: string, code = '') => `export const PROMPTS = { a: '${text}' };${code}`;
    expect(await checker.promptsOnlyProblem(source('x'), source('y'))).toBeUndefined();
    expect(await checker.promptsOnlyProblem(source('x'), source('y', 'f()'))).toMatchObject({ line: 1 });
  });

  test('a source that no compiler can read is told as the author’s mistake, and the thread serves on', async () => {
    const told = 'the source is nested too deeply to check';
    await expect(checker.literalsOf(deep)).rejects.toMatchObject({ code: 'INPUT', message: told });
    await expect(checker.normalForm(deep)).rejects.toMatchObject({ code: 'INPUT', message: told });
    expect(await checker.promptsOnlyProblem('f();', deep)).toEqual({ message: told });
    expect(await checker.literalsOf("'a'")).toHaveLength(1);
  });
});
