import type { Domain } from '@whale/domain-api';
import { loadDomain } from '@whale/domain-loader';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseComponents } from '../components.ts';
import { Random } from '../random/random.ts';
import { contractRequest } from '../testing/contract-suite.ts';
import { drive } from '../testing/drive.ts';
import { specimen } from './composition.ts';
import { variantPool } from './pool.ts';
import { Recombine } from './recombine.ts';

let domain: Domain;
beforeAll(async () => {
  domain = await loadDomain({ name: 'search-qa', dataset: 'atlas', options: { weight: 20, harness: 20, test: 20 } });
});

const small = (text: string) => specimen('x', `// region prompts: x\n${text}\n// endregion\n`);

describe('the pool of a search that may change prompts alone', () => {
  it('has the variants that are PROMPTS and nothing else', () => {
    expect([...variantPool(domain, [], true).keys()]).toEqual(['prompts']);
    expect(variantPool(domain, [], true).get('prompts')).toEqual(variantPool(domain, [], false).get('prompts'));
  });

  it.each([
    ["export const PROMPTS = { system: 'A; {b}' };", 1],
    ["/* Why. */\n// And how.\nexport const PROMPTS = { a: 'x' } as const", 1],
    ["export const PROMPTS = { a: 'it\\'s', b: `{ // no` }; // yes", 1],
    ["export const PROMPTS = { a: 'x' };\nconst more = 1;", 0],
    ["const more = 1;\nexport const PROMPTS = { a: 'x' };", 0],
    ["export const PROMPTS = { a: 'x' };\nfunction more() {}", 0],
  ])('takes %j %i times', (text, times) => {
    const pool = variantPool({ ...domain, components: [] }, [small(text)], true);
    expect(pool.get('prompts')?.length ?? 0).toBe(times);
  });

  it.each([
    ['recombine', new Recombine()],
    ['random', new Random()],
  ] as const)('is that of %s', async (_, proposer) => {
    const request = { ...contractRequest(domain, { kind: 'recombine' }), promptsOnly: true, count: 3 };
    const { drafts } = await drive(proposer, request);
    expect(drafts.length).toBeGreaterThan(0);
    for (const { source, parent } of drafts) {
      const before = parseComponents(request.archive.find(({ harnessId }) => harnessId === parent)?.source ?? '');
      const changed = parseComponents(source).filter(({ text }, i) => text !== before[i]?.text);
      expect(changed.map(({ slot }) => slot)).toEqual(['prompts']);
    }
  });
});
