import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RecordedSession } from '../testing/recorded-session.ts';
import { CandidateFolder } from './candidate-files.ts';
import { Secrets } from './environment.ts';

let workspace: string;
let folder: CandidateFolder;
beforeEach(async () => {
  const session = new RecordedSession();
  onTestFinished(() => session.remove());
  workspace = await session.workspace();
  folder = new CandidateFolder(workspace, new Secrets(['KEY', 'SHORT'], { KEY: 'sesame-opens', SHORT: 'x' }));
});

const at = (...path: string[]) => join(workspace, ...path);
const write = (name: string, data: string | Buffer) => writeFileSync(at('candidates', name), data);
const refusals = async () => (await folder.read()).refused.map(({ name, why }) => `${name}: ${why}`);

describe('the candidates of a workspace', () => {
  it('are read by name, each with its notes', async () => {
    write('b.ts', 'two();\n');
    write('a.ts', 'one();\n');
    write('a.json', '{"hypothesis":"x"}');
    write('c.d.ts', 'declare const c: 1;');
    write('readme.md', '# Mine');
    expect(await folder.read()).toEqual({
      files: [
        { name: 'a', source: 'one();\n', notes: '{"hypothesis":"x"}' },
        { name: 'b', source: 'two();\n', notes: null },
      ],
      refused: [],
    });
  });

  it.each<[string, () => void, RegExp]>([
    ['a pipe', () => execFileSync('mkfifo', [at('candidates/x.ts')]), /^x: .*neither a file nor a folder/u],
    [
      'a pipe for notes',
      () => (write('x.ts', '1'), execFileSync('mkfifo', [at('candidates/x.json')])),
      /^x: .*neither/u,
    ],
    ['a link', () => symlinkSync('/etc/passwd', at('candidates/x.ts')), /^x: .*symbolic link/u],
    ['a folder', () => mkdirSync(at('candidates/x.ts')), /^x: .*is a folder/u],
    ['binary', () => write('x.ts', Buffer.from([0, 1, 2])), /^x: .*not UTF-8 text/u],
    ['bytes that are no UTF-8', () => write('x.ts', Buffer.from([0x61, 0xff])), /^x: .*not UTF-8 text/u],
    ['a large source', () => write('x.ts', 'x'.repeat((256 << 10) + 1)), /^x: .*262145 bytes; at most 262144/u],
    ['large notes', () => (write('x.ts', ''), write('x.json', ' '.repeat(70_000))), /^x: .*x\.json has 70000 bytes/u],
    ['a strange name', () => write('x y.ts', ''), /^x y: The name of a candidate/u],
    ['a long name', () => write(`${'x'.repeat(250)}.ts`, ''), /The name of a candidate/u],
    ['a verdict as a candidate', () => write('x.rejected.ts', ''), /The name of a candidate/u],
    ['a secret', () => write('x.ts', "const key = 'sesame-opens';"), /^x: It holds the value of .* KEY\.$/u],
  ])('D1: refuse %s with the reason', async (_, make, message) => {
    make();
    write('z.ts', 'good();');
    expect((await folder.read()).files).toEqual([{ name: 'z', source: 'good();', notes: null }]);
    expect(await refusals()).toEqual([expect.stringMatching(message)]);
  });

  it('D1: are at most 256, the first by name, and 16 MiB', async () => {
    for (let i = 0; i < 10_000; i++) write(`f${String(i).padStart(5, '0')}.ts`, '');
    const { files, refused } = await folder.read();
    expect([files.length, files.at(-1)?.name]).toEqual([256, 'f00255']);
    expect(refused).toEqual([{ name: '', why: expect.stringContaining('9744 more files are not looked at') }]);
    for (let i = 0; i < 70; i++) write(`a${String(i).padStart(2, '0')}.ts`, 'x'.repeat(256 << 10));
    expect((await folder.read()).files.at(-1)?.name).toBe('a63');
  });

  it('D2: a link in place of the folder is not followed, neither to read nor to write', async () => {
    mkdirSync(at('elsewhere'));
    writeFileSync(at('elsewhere/x.ts'), 'secret();');
    rmSync(at('candidates'), { recursive: true });
    symlinkSync(at('elsewhere'), at('candidates'));
    expect(await folder.read()).toEqual({ files: [], refused: [{ name: '', why: expect.stringContaining('link') }] });
    await folder.tell('x', { stage: 'file' });
    expect(existsSync(at('elsewhere/x.rejected.json'))).toBe(false);
    expect(lstatSync(at('candidates')).isDirectory()).toBe(true);
  });

  it('D2: a link or a pipe in place of a verdict is not followed', async () => {
    writeFileSync(at('outside.json'), 'untouched');
    symlinkSync(at('outside.json'), at('candidates/x.rejected.json'));
    execFileSync('mkfifo', [at('candidates/y.rejected.json')]);
    for (const name of ['x', 'y']) await folder.tell(name, { stage: 'types', message: 'no', line: 3 });
    expect(readFileSync(at('outside.json'), 'utf8')).toBe('untouched');
    expect(JSON.parse(readFileSync(at('candidates/x.rejected.json'), 'utf8'))).toEqual({
      stage: 'types',
      message: 'no',
      line: 3,
    });
  });

  it('have a verdict beside them as long as it holds', async () => {
    await folder.tell('x', { stage: 'types' });
    expect(existsSync(at('candidates/x.rejected.json'))).toBe(true);
    await folder.tell('x', null);
    expect(existsSync(at('candidates/x.rejected.json'))).toBe(false);
    await folder.tell('x'.repeat(300), { stage: 'file' });
  });

  it('come back as they were', async () => {
    const files = [
      { name: 'a', source: 'one();\n', notes: '{}' },
      { name: 'b', source: '', notes: null },
    ];
    rmSync(at('candidates'), { recursive: true });
    await folder.restore(files);
    expect((await folder.read()).files).toEqual(files);
  });
});
