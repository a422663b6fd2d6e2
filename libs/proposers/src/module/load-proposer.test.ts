import { relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moduleFiles } from './testing/module-files.ts';
import { loadProposer } from './load-proposer.ts';

const file = moduleFiles();
const good = `export default { name: 'mine', create: (options: object) => ({ options, async *propose() {} }) };`;
const load = (path: string, options = {}) => loadProposer({ path, options });

describe('loading a proposer', () => {
  it('takes a TypeScript module with its options, by an absolute path or one from the working directory', async () => {
    const path = file('mine.ts', good);
    expect(await load(path, { k: 3 })).toMatchObject({ options: { k: 3 } });
    expect(await load(relative(process.cwd(), path), { k: 4 })).toMatchObject({ options: { k: 4 } });
  });

  it('loads a module once for each path and options', async () => {
    const path = file('once.ts', good);
    expect(await load(path)).toBe(await load(relative(process.cwd(), path)));
    expect(await load(path, { k: 1 })).not.toBe(await load(path));
  });

  it('tries again what could not be loaded', async () => {
    await expect(load(file('later.ts', 'export const x = 1;'))).rejects.toThrow('no default export');
    file('later.ts', good);
    await load(resolve(file('later.ts', good)));
  });

  it.each([
    ['a missing file', './nowhere.ts', `there is no module ${resolve('./nowhere.ts')}; a relative path is taken from`],
    ['no default export', file('a.ts', 'export const x = 1;'), 'has no default export: expected a ProposerModule'],
    ['another shape', file('b.ts', 'export default class {}'), 'is no ProposerModule, { name, create(options) }'],
    ['one that throws', file('c.ts', "throw new Error('boom');"), 'cannot be loaded: boom'],
    ['a syntax error', file('d.ts', 'export default {'), 'cannot be loaded: '],
    [
      'a create that throws',
      file('e.ts', "export default { create() { throw new Error('k is missing'); } };"),
      'proposer.options: the module',
    ],
    ['a create that gives nothing', file('f.ts', 'export default { create() {} };'), 'expected a Proposer'],
  ])('refuses %s with what is wrong', async (_, path, message) => {
    await expect(load(path)).rejects.toMatchObject({ code: 'INPUT', message: expect.stringContaining(message) });
  });

  it('tells what a schema of the module says of the options', async () => {
    const zod = import.meta.resolve('zod');
    const path = file(
      'schema.ts',
      `import { z } from ${JSON.stringify(zod)};
      export default { create: (options: unknown) => z.strictObject({ k: z.int() }).parse(options) };`,
    );
    await expect(load(path, { k: 'three' })).rejects.toThrow(/k: .*expected (int|number).*\(value: "three"\)/u);
  });
});
