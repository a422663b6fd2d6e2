import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callTool } from './call.ts';
import { grepTool, grepWithin } from './grep.ts';
import { listFilesTool } from './list-files.ts';
import { MOST_READ_BYTES, readFileTool } from './read-file.ts';
import { readingTools } from './reading-tools.ts';
import { scratch } from './support/scratch.ts';

const signal = new AbortController().signal;

describe('the tools', () => {
  it('have a schema that a model is told, with every field described or plain', () => {
    for (const { name, description, input } of readingTools) {
      expect(z.toJSONSchema(input), name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(description.length).toBeGreaterThan(40);
    }
  });

  it.each([
    ['read_file', {}, /path: .*missing/],
    ['read_file', { path: 5 }, /path: .*\(value: 5\)/],
    ['read_file', { path: 'a', to_line: 0 }, /to_line/],
    ['read_file', { path: 'a', from_line: 5, to_line: 4 }, /to_line: must not be before from_line/],
    ['read_file', { path: 'a', lines: 3 }, /lines: unknown key/],
    ['grep', { pattern: '' }, /pattern/],
    ['grep', { pattern: 'a', max_matches: 1e9 }, /max_matches/],
    ['list_files', 'index.md', /top level/],
    ['list_files', null, /top level/],
  ])('%s refuses the input %j with what was expected', async (name, input, message) => {
    const tool = readingTools.find((one) => one.name === name) as (typeof readingTools)[number];
    const { root } = await scratch();
    const { error, text, bytes } = await callTool(tool, input, { root, signal });
    expect(error).toMatch(message);
    expect([text, bytes]).toEqual([error, Buffer.byteLength(text)]);
  });
});

describe('read_file', () => {
  const read = async (content: string, range: { from_line?: number; to_line?: number } = {}) => {
    const { root } = await scratch({ 'a.md': content });
    return readFileTool.run({ path: 'a.md', ...range }, { root, signal });
  };

  it('numbers the lines, tells the file, and counts the bytes of what it gave', async () => {
    expect(await read('θ\n\nb\n')).toEqual({ text: '1\tθ\n2\t\n3\tb', paths: ['a.md'], bytes: 11, error: null });
    expect((await read('a\nb')).text).toBe('1\ta\n2\tb');
    expect((await read('')).text).toBe('a.md is empty.');
  });

  it('gives a range, inclusive, and says of what', async () => {
    expect((await read('a\nb\nc\nd\n', { from_line: 2, to_line: 3 })).text).toBe('2\tb\n3\tc\n[lines 2 to 3 of 4]');
    expect((await read('a\nb\n', { from_line: 2, to_line: 99 })).text).toBe('2\tb\n[lines 2 to 2 of 2]');
    expect(await read('a\nb\n', { from_line: 3 })).toMatchObject({
      error: 'a.md has 2 lines: there is none from 3 on.',
    });
  });

  it('stops at its bound and says how to go on, until all has been read once', async () => {
    const lines = Array.from({ length: 4_000 }, (_, i) => `line ${i + 1} ${'é'.repeat(20)}`);
    const { root } = await scratch({ 'a.md': `${lines.join('\n')}\n` });
    const seen: string[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const { text, bytes } = await readFileTool.run({ path: 'a.md', from_line: from }, { root, signal });
      expect(bytes).toBeLessThanOrEqual(MOST_READ_BYTES + 100);
      seen.push(...text.split('\n').filter((line) => !line.startsWith('[')));
      const next: RegExpExecArray | null = /go on with from_line (\d+)\]$/.exec(text);
      from = next ? Number(next[1]) : undefined;
    }
    expect(seen).toEqual(lines.map((line, i) => `${i + 1}\t${line}`));
  });

  it('cuts a line that is longer than its bound at a character, and goes on after it', async () => {
    const { text, bytes } = await read(`a\n${'é'.repeat(MOST_READ_BYTES)}\nb\n`, { from_line: 2 });
    expect(bytes).toBeLessThan(MOST_READ_BYTES + 200);
    expect(text).toMatch(
      /^2\té+\n\[line 2 is cut: it has 131075 bytes\]\n\[lines 2 to 2 of 3; go on with from_line 3\]$/,
    );
  });
});

describe('list_files', () => {
  it('lists folders and files with their bytes, by name', async () => {
    const { root } = await scratch({ 'b/x.md': '', 'a.md': 'four', 'B.md': '' });
    const { text, paths } = await listFilesTool.run({}, { root, signal });
    expect(text).toBe('B.md\t0 bytes\na.md\t4 bytes\nb/');
    expect(paths).toEqual([]);
  });

  it('goes on with a long list after a name', async () => {
    const { root } = await scratch(Object.fromEntries(Array.from({ length: 620 }, (_, i) => [`${1000 + i}`, ''])));
    const first = await listFilesTool.run({}, { root, signal });
    expect(first.text).toMatch(/^1000\t.*\n1499\t0 bytes\n\[120 more; go on with after: "1499"\]$/s);
    const rest = await listFilesTool.run({ after: '1499' }, { root, signal });
    expect(rest.text.split('\n')).toHaveLength(120);
    expect((await listFilesTool.run({ after: '1619' }, { root, signal })).text).toBe('. has no further entries.');
  });
});

describe('grep', () => {
  const FILES = {
    'index.md': 'Tarvel\nnothing\n',
    'harnesses/a/x.md': 'The mayor of Tarvel is Dask.\nanswer: Dask\n',
    'harnesses/b/x.md': 'The mayor of Tarvel is Morv.\nanswer: Morv (a+b)\n',
  };
  const grep = async (input: Parameters<typeof grepTool.run>[0], files: Record<string, string> = FILES) => {
    const { root } = await scratch(files);
    return grepTool.run(input, { root, signal });
  };

  it('shows path, number and line, in order, and tells the files of which it shows something', async () => {
    expect(await grep({ pattern: '^answer: (Dask|Morv)' })).toEqual({
      text: 'harnesses/a/x.md:2: answer: Dask\nharnesses/b/x.md:2: answer: Morv (a+b)',
      paths: ['harnesses/a/x.md', 'harnesses/b/x.md'],
      bytes: 71,
      error: null,
    });
    expect((await grep({ pattern: 'tarvel', ignore_case: true, path: 'index.md' })).text).toBe('index.md:1: Tarvel');
    expect((await grep({ pattern: 'tarvel' })).text).toBe('[No line matches in 3 files.]');
    expect((await grep({ pattern: 'x', path: 'harnesses/c' })).error).toMatch(/There is no harnesses\/c\..*: a, b\./);
  });

  it('counts what it does not show, and does not tell files of which it shows nothing', async () => {
    const { text, paths } = await grep({ pattern: 'Tarvel', max_matches: 1 });
    expect(text).toBe(
      'harnesses/a/x.md:1: The mayor of Tarvel is Dask.\n' +
        '[2 more matching lines are not shown: 3 in 3 of 3 files.]',
    );
    expect(paths).toEqual(['harnesses/a/x.md']);
  });

  it('is bounded in bytes, and shows a long line about its match', async () => {
    const long = `${'x'.repeat(5_000)} needle ${'y'.repeat(5_000)}`;
    const { text, bytes } = await grep({ pattern: 'needle', max_matches: 200 }, { 'a.md': `${long}\n`.repeat(400) });
    expect(bytes).toBeLessThan(66 << 10);
    expect(text).toMatch(/^a\.md:1: …x+ needle y+…$/m);
    expect(text).toMatch(/more matching lines are not shown: 400 in 1 of 1 file\.\]$/);
  });

  it('takes a pattern that is no regular expression as plain text, and says so', async () => {
    const { text } = await grep({ pattern: '(a+b' });
    expect(text).toMatch(
      /^harnesses\/b\/x\.md:2: .*\n\[Invalid regular expression.*searched for the pattern as plain text/,
    );
    expect((await grep({ pattern: '\\Tarvel\\-?' })).text).toContain('index.md:1');
    expect((await grep({ pattern: '\\p{Lu}arvel', max_matches: 1 })).text).toContain('harnesses/a/x.md:1');
  });

  it.each(['(a+)+$', '(a|a)*$', '(.*)*x', '(?=(a+)+$)b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(a*)*\\1$'])(
    'gives up %s and leaves the event loop alone meanwhile',
    async (pattern) => {
      const { root } = await scratch({ 'a.md': `${'a'.repeat(60)}!\n` });
      let turns = 0;
      const ticking = setInterval(() => turns++, 5);
      const impatient = grepWithin({ fileMs: 400, callMs: 10_000 });
      const { error } = await impatient.run({ pattern }, { root, signal });
      clearInterval(ticking);
      expect(error).toMatch(/in a\.md was given up: it took longer than 0\.4 s\. Use a simpler pattern/);
      expect(turns).toBeGreaterThan(3);
    },
  );

  it('gives up a pattern that wants too much memory or stack, and is whole for the next', async () => {
    const { root } = await scratch({ 'a.md': `${'ab'.repeat(400_000)}\n` });
    for (const pattern of ['(?:(?:ab){1,1000}){1,1000}c', '((a)|(b)|(ab))*c', '('.repeat(500)]) {
      const impatient = grepWithin({ fileMs: 1_000, callMs: 10_000 });
      expect((await impatient.run({ pattern }, { root, signal })).bytes).toBeGreaterThan(10);
    }
    expect((await grepTool.run({ pattern: '^abab' }, { root, signal })).text).toMatch(/^a\.md:1: abab/);
  });

  it('stops when the whole search takes too long, with what it has, and when the session is stopped', async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${10 + i}.md`, 'needle\n']));
    const { root } = await scratch(files);
    const { text, error } = await grepWithin({ fileMs: 5_000, callMs: 1 }).run({ pattern: 'needle' }, { root, signal });
    expect(error).toBeNull();
    expect(text).toMatch(/^10\.md:1: needle\n[^]*\[Stopped after 0\.001 s, not all files were searched: give a path/);
    const stop = new AbortController();
    const running = grepTool.run({ pattern: '(a+)+$' }, { root: (await hostile()).root, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('budget')), 200);
    await expect(running).rejects.toThrow('budget');
  });

  const hostile = () => scratch({ 'a.md': `${'a'.repeat(60)}!\n` });
});
