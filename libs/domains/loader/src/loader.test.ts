import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { domainLimits, loadDomain } from './index.ts';

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
    const one = (split: string) => [{ id: split, split, input: { split } }];
    export default {
      name: 'mine',
      load: ({ dataset }: { dataset: string }) => ({
        name: 'mine', dataset, tasks: one, task: (id: string) => one(id)[0], tools: () => ({ call: () => null }),
        verify: () => ({ reward: 0, diagnostics: {} }), gold: () => ['x'], seedHarness: '', components: [],
        diagnostics: {}, description: '', harnessTypes: '',
      }),
    };`;

  let changes = 0;
  const changed = (part: string, by: string) => {
    expect(good).toContain(part);
    return module(`changed-${changes++}.ts`, good.replace(part, by));
  };

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
    ['a load that throws null', module('n.ts', 'export default { load() { throw null; } };'), 'cannot load: null'],
    ['a load that throws a text', module('t.ts', 'export default { load() { throw "boom"; } };'), 'cannot load: boom'],
    ['a module that throws a text', module('m.ts', 'throw "boom"; export default {};'), 'cannot be loaded: boom'],
    [
      'nothing at all',
      module('u.ts', 'export default { load: () => undefined };'),
      'it must be an object, not undefined',
    ],
    ['half a domain', module('c.ts', 'export default { load: () => ({ name: "x" }) };'), 'tasks must be a function'],
    [
      'an empty split',
      module('d.ts', good.replace('tasks: one', 'tasks: () => []')),
      "tasks('weight') must not be empty",
    ],
    [
      'tasks that throw',
      changed('tasks: one', "tasks() { throw new Error('no disk'); }"),
      "tasks('weight') threw: no disk",
    ],
    ['tasks that are none', changed('tasks: one', 'tasks: () => null'), "tasks('weight'): it must be a list, not null"],
    [
      'tasks that come later',
      changed('tasks: one', 'tasks: async () => []'),
      "tasks('weight'): it must be a list, not Promise",
    ],
    [
      'a task without an input',
      changed('input: { split }', 'input: undefined'),
      "tasks('weight'): 0.input must be a JSON object, not undefined",
    ],
    [
      'a task of another split',
      changed('split, input', "split: 'test', input"),
      "tasks('weight'): 0.split must be 'weight', not 'test'",
    ],
    ['an id twice', changed('id: split', "id: 't'"), 'the id t is in weight and in harness'],
    [
      'a task that is not found',
      changed('one(id)[0]', 'undefined'),
      'task("weight"): it must be an object, not undefined',
    ],
    [
      'a task that is found otherwise',
      changed('one(id)[0]', '({ ...one(id)[0], input: {} })'),
      `task("weight") must give what tasks('weight') lists`,
    ],
    ['gold that is no list', changed("() => ['x']", "() => 'x'"), `gold("weight"): it must be a list, not 'x'`],
    [
      'a component that is none',
      changed('components: []', 'components: [null]'),
      'components.0 must be an object, not null',
    ],
    [
      'a component without targets',
      changed('components: []', "components: [{ slot: 's', name: 'n', source: '', hypothesis: '' }]"),
      'components.0.targets must be a list, not undefined',
    ],
    [
      'a diagnostic without a text',
      changed('diagnostics: {}, d', 'diagnostics: { x: 1 }, d'),
      'diagnostics.x must be a text',
    ],
  ])('refuses %s with what is wrong', async (_, spec, message) => {
    await expect(loadDomain(spec)).rejects.toMatchObject({ code: 'INPUT', message: expect.stringContaining(message) });
  });

  it.each([
    ['a load', 'export default { load: () => new Promise(() => undefined) };'],
    ['a module', 'await new Promise(() => undefined); export default {};'],
  ])('gives %s up that never ends', async (what, text) => {
    const never = module(`never-${what.slice(2)}.mts`, text);
    await expect(loadDomain(never, { loadMs: 50, toolMs: 1, verifyMs: 1 })).rejects.toMatchObject({
      code: 'INPUT',
      message: expect.stringContaining('has not loaded within 50 ms (WHALE_DOMAIN_LOAD_TIMEOUT_MS)') as string,
    });
  });

  it('reads the time limits of the environment', () => {
    const minutes = (n: number) => n * 60_000;
    expect(domainLimits({})).toEqual({ loadMs: minutes(5), toolMs: minutes(2), verifyMs: minutes(5) });
    expect(domainLimits({ WHALE_TOOL_TIMEOUT_MS: '1500' }).toolMs).toBe(1500);
    for (const wrong of ['', '0', '-1', '1.5', 'soon', '9'.repeat(12)]) {
      expect(() => domainLimits({ WHALE_VERIFY_TIMEOUT_MS: wrong })).toThrow(
        `WHALE_VERIFY_TIMEOUT_MS: expected a whole number of ms from 1 to 2147483647, not "${wrong}"`,
      );
    }
  });
});
