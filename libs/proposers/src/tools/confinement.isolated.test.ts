import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callTool } from './call.ts';
import { MOST_FILE_BYTES } from './files.ts';
import { readingTools } from './reading-tools.ts';
import { scratch, SECRET } from './support/scratch.ts';
import type { ToolResult } from './tool.ts';

/** Where every folder and file that is opened really lies, at the moment at which it is opened. */
const { opened } = vi.hoisted(() => ({ opened: [] as string[] }));
/** Runs before the next file is opened: for what changes between the look and the opening. */
const { meanwhile } = vi.hoisted(() => ({ meanwhile: { work: null as null | (() => Promise<void>) } }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const note = (path: unknown) => {
    try {
      opened.push(realpathSync(String(path)));
    } catch {
      // Not there: nothing is opened.
    }
  };
  return {
    ...original,
    open: async (...args: Parameters<typeof original.open>) => {
      await meanwhile.work?.();
      meanwhile.work = null;
      note(args[0]);
      return original.open(...args);
    },
    readdir: (...args: Parameters<typeof original.readdir>) => {
      note(args[0]);
      return original.readdir(...args);
    },
  };
});

const signal = new AbortController().signal;
const tool = (name: string) => readingTools.find((one) => one.name === name) as (typeof readingTools)[number];

async function all(root: string, path: string): Promise<ToolResult[]> {
  opened.length = 0;
  const context = { root, signal };
  const results = [
    await callTool(tool('list_files'), { path }, context),
    await callTool(tool('read_file'), { path }, context),
    await callTool(tool('grep'), { pattern: 'canary|root', path }, context),
  ];
  const real = realpathSync(root);
  expect(opened.filter((path) => relative(real, path).startsWith('..'))).toEqual([]);
  for (const { text, error } of results) expect(`${text}${error}`).not.toContain(SECRET);
  return results;
}

const REFUSED: [string, string, RegExp][] = [
  ['traversal', '../outside', /holds ".."/],
  ['traversal from within', 'candidates/../../outside', /holds ".."/],
  ['traversal that would stay inside', 'candidates/../index.md', /holds ".."/],
  ['traversal after a file', 'index.md/../../outside', /holds ".."/],
  ['traversal with doubled separators', 'candidates//..//../outside', /holds ".."/],
  ['traversal with dots between', './candidates/./../.././outside', /holds ".."/],
  ['traversal at the end', 'candidates/..', /holds ".."/],
  ['traversal with a trailing slash', '../', /holds ".."/],
  ['an absolute path', '/etc/passwd', /is absolute/],
  ['an absolute path with doubled separators', '//etc//passwd', /is absolute/],
  ['a drive', 'C:/Windows/win.ini', /is absolute/],
  ['a drive without a separator', 'c:index.md', /is absolute/],
  ['a network path', '\\\\server\\share', /is absolute/],
  ['a device path', '\\\\.\\COM1', /is absolute/],
  ['backslashes', '..\\outside', /backslash/],
  ['backslashes within', 'candidates\\..\\..\\outside', /backslash/],
  ['NUL', 'index.md\0.png', /NUL/],
  ['NUL before a traversal', '\0/../outside', /NUL/],
  ['a path without end', 'a/'.repeat(4_000), /characters, more than/],
  ['a name without end', 'a'.repeat(500), /There is no a/],
  ['percent encoding', '%2e%2e/outside', /There is no %2e%2e/],
  ['double percent encoding', '%252e%252e%252foutside', /There is no/],
  ['an overlong encoding', '\u00c0\u00ae\u00c0\u00ae/outside', /There is no/],
  ['full-width dots', '．．/outside', /There is no/],
  ['a full-width slash', '..／outside', /There is no/],
  ['one dot leader', '․․/outside', /There is no/],
  ['three dots', '.../outside', /There is no/],
  ['dots and a space', '.. /outside', /There is no/],
  ['a dot after', '..;/outside', /There is no/],
  ['a home folder', '~/outside', /There is no ~/],
  ['a variable', '$HOME/outside', /There is no/],
  ['a glob', '*/index.md', /There is no \*/],
  ['a URL', 'file:///etc/passwd', /There is no file:/],
  ['a lone surrogate', '\ud800/outside', /There is no/],
  ['a line break', 'index.md\n../outside', /There is no/],
  ['a bidirectional override', '\u202e/outside', /There is no/],
  ['a component below a file', 'index.md/x', /There is no index.md\/x/],
  ['the process', 'proc/self/environ', /There is no proc/],
];

describe('F1 nothing outside the workspace is opened', () => {
  it.each(REFUSED)('%s: %j', async (_name, path, message) => {
    const { root } = await scratch({ 'index.md': 'root\n', 'candidates/a.ts': 'root\n' });
    for (const { error, paths } of await all(root, path)) {
      expect(error).toMatch(message);
      expect(paths).toEqual([]);
    }
  });

  it('by whatever path', async () => {
    const { root, outside } = await scratch({ 'index.md': 'root\n', 'candidates/a.ts': 'root\n' });
    await symlink(outside, join(root, 'candidates', 'out'));
    await symlink(join(outside, `${SECRET}.txt`), join(root, 'out.txt'));
    const component = fc.oneof(
      fc.constantFrom('..', '.', '', 'candidates', 'out', 'out.txt', 'index.md', 'a.ts', 'outside', 'deep', '\\', '\0'),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom('%2e%2e', '．．', '..\\..', 'C:', `${SECRET}.txt`, root, outside),
    );
    const path = fc.tuple(fc.array(component, { maxLength: 7 }), fc.constantFrom('/', '//', '/./', '\\'));
    await fc.assert(
      fc.asyncProperty(path, async ([components, separator]) => {
        opened.length = 0;
        const context = { root, signal };
        const given = components.join(separator);
        for (const name of ['list_files', 'read_file']) {
          const { text, error } = await callTool(tool(name), { path: given }, context);
          expect(text.includes(SECRET) && !given.includes(SECRET)).toBe(false);
          if (error !== null) expect(error.length).toBeGreaterThan(10);
        }
        const real = realpathSync(root);
        expect(opened.filter((path) => relative(real, path).startsWith('..'))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('through links: to a file, to a folder, above, in a circle, to nowhere, or within the workspace', async () => {
    const { root, outside } = await scratch({ 'index.md': 'root\n', 'candidates/a.ts': 'root\n' });
    const links: [string, string][] = [
      [join(outside, `${SECRET}.txt`), 'file.txt'],
      [outside, 'folder'],
      ['..', 'above'],
      ['circle', 'circle'],
      ['nowhere', 'broken'],
      ['index.md', 'inside.md'],
      ['candidates', 'inside'],
    ];
    for (const [target, name] of links) await symlink(target, join(root, name));
    for (const path of [...links.map(([, name]) => name), 'folder/deep', 'above/outside', 'inside/a.ts', 'folder/']) {
      for (const { error } of await all(root, path)) expect(error, path).toMatch(/is a symbolic link/);
    }
    const [listed, , found] = await all(root, '');
    expect(listed?.text).toContain('folder\ta symbolic link: not followed');
    expect(found?.text.split('\n').filter((line) => line.includes(': root'))).toEqual([
      'candidates/a.ts:1: root',
      'index.md:1: root',
    ]);
  });

  it('when a file or a folder above it is exchanged for a link between the look and the opening', async () => {
    const { root, outside } = await scratch({ 'index.md': 'root\n', [`deep/${SECRET}.txt`]: 'root\n' });
    const context = { root, signal };
    meanwhile.work = async () => {
      await rm(join(root, 'index.md'));
      await symlink(join(outside, `${SECRET}.txt`), join(root, 'index.md'));
    };
    const file = await callTool(tool('read_file'), { path: 'index.md' }, context);
    expect(file.error).toMatch(/index\.md cannot be read \(ELOOP\)/);
    meanwhile.work = async () => {
      await rename(join(root, 'deep'), join(root, 'moved'));
      await symlink(join(outside, 'deep'), join(root, 'deep'));
    };
    const folder = await callTool(tool('read_file'), { path: `deep/${SECRET}.txt` }, context);
    expect(folder.error).toMatch(/exchanged/);
    expect(`${file.text}${folder.text}`).not.toContain(`1\t${SECRET}`);
  });
});

describe('F2 only text that is not too large is read, and nothing hangs', () => {
  it('refuses a pipe, a socket, a folder, binary and what is too large, each with what it is', async () => {
    const { root } = await scratch({
      'folder/a.md': 'root\n',
      'picture.png': Uint8Array.from([137, 80, 78, 71, 0, 13]),
      'latin.txt': Uint8Array.from([0x72, 0xe9, 0x73]),
      'huge.txt': 'root\n'.repeat(MOST_FILE_BYTES / 5 + 1),
    });
    await promisify(execFile)('mkfifo', [join(root, 'pipe')]);
    const server = createServer().listen(join(root, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const expected: [string, RegExp][] = [
      ['pipe', /neither a file nor a folder/],
      ['socket', /neither a file nor a folder/],
      ['folder', /is a folder\. list_files/],
      ['picture.png', /not UTF-8 text \(6 bytes\)/],
      ['latin.txt', /not UTF-8 text/],
      ['huge.txt', /8388610 bytes; files of more than 8388608/],
    ];
    for (const [path, message] of expected) {
      expect((await callTool(tool('read_file'), { path }, { root, signal })).error, path).toMatch(message);
    }
    const { text, paths, error } = await callTool(tool('grep'), { pattern: 'root' }, { root, signal });
    expect([error, paths]).toEqual([null, ['folder/a.md']]);
    for (const name of ['picture.png', 'latin.txt', 'huge.txt']) expect(text).toContain(`[Not searched: ${name} `);
    const listed = await callTool(tool('list_files'), {}, { root, signal });
    expect(listed.text).toContain('pipe\tneither file nor folder');
  });

  it('reads what other names lead to: hard links, odd and normalised spellings of a path', async () => {
    const { root } = await scratch({ 'index.md': 'root\n', 'candidates/é.ts': 'root\n' });
    await link(join(root, 'index.md'), join(root, 'hard.md'));
    for (const path of ['hard.md', './index.md', 'candidates//é.ts', 'candidates/./é.ts', 'index.md/']) {
      expect((await callTool(tool('read_file'), { path }, { root, signal })).text, path).toBe('1\troot');
    }
    // The other normal form of the name is another name, or the same file: never an error that is none.
    const other = await callTool(tool('read_file'), { path: 'candidates/e\u0301.ts' }, { root, signal });
    expect(other.error ?? other.text).toMatch(/There is no candidates|root/);
  });

  it('shows odd names quoted, and throws what is no fault of the path', async () => {
    const { root } = await scratch({ 'index.md': 'root\n' });
    await mkdir(join(root, 'odd\nname'));
    await writeFile(join(root, 'odd\nname', 'a'), '');
    const { text } = await callTool(tool('list_files'), {}, { root, signal });
    expect(text).toBe('index.md\t5 bytes\n"odd\\nname"/');
    const gone = { root: join(root, 'gone'), signal };
    await expect(callTool(tool('list_files'), {}, gone)).rejects.toMatchObject({ code: 'ENOENT' });
    const stopped = { root, signal: AbortSignal.abort(new Error('stopped')) };
    for (const [name, input] of Object.entries({
      list_files: {},
      read_file: { path: 'index.md' },
      grep: { pattern: 'x' },
    })) {
      await expect(callTool(tool(name), input, stopped)).rejects.toThrow('stopped');
    }
  });
});
