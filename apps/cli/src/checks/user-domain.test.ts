import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDomain } from '@whale/domain-loader';
import { afterAll, describe, expect, it } from 'vitest';
import { scratchFolder, whale } from '../support/whale-process.ts';
import { checkDomain } from './check-domain.ts';

const scratch = scratchFolder('user-domain');
afterAll(scratch.remove);

const FEW = { weight: 4, harness: 4, validation: 4, test: 4 };
let files = 0;
/** A user's module: the atlas with some parts exchanged, after `first` has run. */
function domain(parts: string, first = ''): string {
  const path = join(scratch.path, `domain-${files++}.ts`);
  const searchQa = import.meta.resolve('@whale/domain-search-qa');
  writeFileSync(
    path,
    `import searchQa from ${JSON.stringify(searchQa)};
    export default { name: 'mine', async load(input: any) {
      ${first}
      const atlas = await searchQa.load(input);
      return { ...atlas, ${parts} };
    } };`,
  );
  return path;
}
const check = (path: string, environment = {}) => whale(['domain', 'check', path], environment);
/** The checks of tasks and verdicts; those that compile harnesses come after them. */
async function firstChecks(path: string): Promise<string> {
  const domain = await loadDomain({ name: path, dataset: 'atlas', options: FEW });
  const found: string[] = [];
  for await (const { title, details } of checkDomain(domain)) {
    found.push(title, ...details);
    if (title.startsWith('the verifier refuses')) break;
  }
  return found.join('\n');
}

describe('domain check of a user’s module', () => {
  it.each<[string, string, RegExp]>([
    [
      'a reward that is no number',
      'verify: () => ({ reward: true, diagnostics: {} })',
      /the verifier accepts .*\n.*\n.*task atlas-weight-0001: reward must be 0 or 1, not true/u,
    ],
    [
      'a diagnostic that is NaN',
      'verify: async (input: any) => ({ ...(await atlas.verify(input)), diagnostics: { hops: NaN } })',
      /the verifier accepts .*\n.*\n.*diagnostics\.hops must be .*, not NaN/u,
    ],
    [
      'a diagnostic that it has not named',
      'verify: async (input: any) => ({ ...(await atlas.verify(input)), diagnostics: { luck: true } })',
      /the diagnostic luck is not named by the domain/u,
    ],
    [
      'a task for any id',
      "task: (id: string) => atlas.task(id) ?? { id, split: 'test', input: {} }",
      /task\('no-such-task'\) gives a task/u,
    ],
    [
      'a verifier that breaks at one task only',
      "verify(input: any) { if (input.task.id === 'atlas-test-0004') throw null; return atlas.verify(input); }",
      /the verifier accepts .*\n.*\n.*task atlas-test-0004 threw: null/u,
    ],
  ])('finds %s', async (_, parts, message) => {
    expect(await firstChecks(domain(parts))).toMatch(message);
  });

  it('ends although a verdict and a tool never come', async () => {
    const never = '() => new Promise(() => undefined)';
    const { code, stdout } = await check(domain(`verify: ${never}, tools: () => ({ call: ${never} })`), {
      WHALE_VERIFY_TIMEOUT_MS: '50',
      WHALE_TOOL_TIMEOUT_MS: '40',
    });
    expect(stdout).toContain('task atlas-weight-0001 has given nothing for 50 ms (WHALE_VERIFY_TIMEOUT_MS)');
    expect(stdout).toContain('the tool no-such-tool of search-qa/atlas, task atlas-weight-0001 has given nothing');
    expect(code).toBe(2);
  });
});

describe('a user’s module that does not load', () => {
  const cases: [string, string, RegExp][] = [
    ['waits for nothing', 'await new Promise(() => undefined);', /has not loaded within 3000 ms/u],
    ['ends the process', 'process.exit(0);', /the domain .* has ended the process \(process\.exit\)/u],
  ];
  it.each(cases)('and %s is told by run and domain check', async (_, first, message) => {
    const path = domain('', first);
    const environment = { WHALE_DOMAIN_LOAD_TIMEOUT_MS: '3000' };
    const data = join(scratch.path, 'data');
    const run = ['run', 'examples/atlas-small.yaml', '--set', `domain.name=${path}`, '--data', data];
    for (const result of [await check(path, environment), await whale(run, environment)]) {
      expect(result.stderr).toMatch(message);
      expect(result.stderr).not.toContain('This is unexpected');
      expect(result.code).toBe(2);
    }
    expect(existsSync(data)).toBe(false);
  });

  it('a time limit that is none is told with its name', async () => {
    const { code, stderr } = await check('search-qa', { WHALE_TOOL_TIMEOUT_MS: 'soon' });
    expect(stderr).toContain('WHALE_TOOL_TIMEOUT_MS: expected a whole number of ms');
    expect(code).toBe(2);
  });
});
