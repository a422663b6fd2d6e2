import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDomain } from './index.ts';

describe('loading a domain', () => {
  // Outside any package: nothing says that these files are ES modules.
  const folder = mkdtempSync(join(tmpdir(), 'whale-domain-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const module = (file: string, text: string) => {
    const path = join(folder, file);
    writeFileSync(path, text);
    return { name: path, dataset: 'd', options: {} };
  };
  const good = `
    const one = (split: string) => [{ id: split, split, input: {} }];
    export default {
      name: 'mine',
      load: ({ dataset }: { dataset: string }) => ({
        name: 'mine', dataset, tasks: one, task: () => undefined, tools: () => ({ call: () => null }),
        verify: () => ({ reward: 0, diagnostics: {} }), gold: () => ['x'], seedHarness: '', components: [],
        diagnostics: {}, description: '', harnessTypes: '',
      }),
    };`;

  it.each(['mine.ts', 'mine.mts'])('takes a user’s TypeScript module, %s', async (file) => {
    const domain = await loadDomain(module(file, good));
    expect(domain).toMatchObject({ name: 'mine', dataset: 'd' });
  });

  it('takes the built-in ones', async () => {
    expect((await loadDomain({ name: 'search-qa', dataset: 'atlas', options: {} })).dataset).toBe('atlas');
  });

  it.each([
    ['unknown.ts is no built-in', { name: 'nope', dataset: 'd', options: {} }, 'built in: search-qa'],
    ['a missing file', { name: './nowhere.ts', dataset: 'd', options: {} }, 'cannot be loaded'],
    ['no default export', module('a.ts', 'export const x = 1;'), 'must export a DomainModule'],
    [
      'a load that throws',
      module('b.ts', 'export default { load() { throw new Error("boom"); } };'),
      'cannot load: boom',
    ],
    ['half a domain', module('c.ts', 'export default { load: () => ({ name: "x" }) };'), 'tasks must be a function'],
    [
      'an empty split',
      module('d.ts', good.replace('tasks: one', 'tasks: () => []')),
      "tasks('weight') must not be empty",
    ],
  ])('refuses %s with what is wrong', async (_, spec, message) => {
    await expect(loadDomain(spec)).rejects.toMatchObject({ code: 'INPUT', message: expect.stringContaining(message) });
  });
});
