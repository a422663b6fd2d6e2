import searchQa from '@whale/domain-search-qa';
import type { Domain } from '@whale/domain-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { typeErrors } from '../../../libs/domains/search-qa/tools/type-check.ts';
import { applyIdea, hasIdea, type Idea } from './idea.ts';
import { codeIdeas, promptIdeas } from './ideas.ts';
import { repaired, withSlip } from './repair.ts';
import { promptIn, regionsIn, withPrompt, withRegions } from './source.ts';

const SLIPS = ['keywords', 'follow-up', 'shown-name'];

let domain: Domain;
/** Of each idea on what it needs, and of those with a slip: all at once, since a type check takes seconds. */
let errors: string[];
beforeAll(async () => {
  domain = await searchQa.load({ dataset: 'atlas', options: { weight: 10, harness: 10, validation: 10, test: 10 } });
  const sound = codeIdeas.map((idea): [string, string] => [idea.name, withAll(chain(idea))]);
  const slipped = SLIPS.map((name): [string, string] => [`${name}-slipped`, slippedSource(name)]);
  errors = typeErrors(new Map([...sound, ...slipped]));
});
const slippedSource = (name: string): string => withSlip(withAll(chain(named(name))), domain.seedHarness) ?? '';
const withAll = (ideas: readonly Idea[]): string =>
  ideas.reduce((source, idea) => applyIdea(source, idea) ?? source, domain.seedHarness);
const named = (name: string): Idea => codeIdeas.find((idea) => idea.name === name) as Idea;
/** An idea after those that it needs. */
const chain = (idea: Idea): Idea[] => [...idea.needs.flatMap((name) => chain(named(name))), idea];

describe('the ideas', () => {
  it('are code of their own that type-checks, alone on what they need', () => {
    expect(new Set(codeIdeas.map((idea) => withAll(chain(idea)))).size).toBe(codeIdeas.length);
    expect(errors.filter((error) => !error.includes('-slipped'))).toEqual([]);
    const given = new Set(domain.components.map(({ source }) => source.replaceAll(/\s+/gu, '')));
    for (const { edit } of codeIdeas) {
      for (const { text } of edit.kind === 'regions' ? edit.regions : []) {
        expect(given).not.toContain(text.replaceAll(/\s+/gu, ''));
      }
    }
  });

  it('say what they target and why, and need only what there is', () => {
    const names = new Set(codeIdeas.map(({ name }) => name));
    for (const { needs, targets, mechanism, because, edit } of codeIdeas) {
      expect(needs.filter((name) => !names.has(name))).toEqual([]);
      expect(targets.filter((name) => !(name in domain.diagnostics))).toEqual([]);
      expect(targets.length * mechanism.length * because.length).toBeGreaterThan(0);
      expect(edit.kind === 'regions' && edit.regions.length).toBeGreaterThan(0);
    }
  });

  it('are known again in a source, also where another one builds upon them', () => {
    const has = (source: string) =>
      codeIdeas.filter((idea) => hasIdea(source, idea, codeIdeas)).map(({ name }) => name);
    expect(has(domain.seedHarness)).toEqual([]);
    expect(has(withAll([named('follow-up')]))).toEqual(['follow-up']);
    expect(has(withAll(chain(named('vote'))))).toEqual(['follow-up', 'vote']);
    const tidy = chain(named('query-shown'));
    expect(has(withAll(tidy))).toEqual(['follow-up', 'keywords', 'query-shown']);
  });

  it('of prompts come from what the domain tells of them', () => {
    const ideas = promptIdeas(domain.description);
    expect(ideas.map(({ edit }) => (edit.kind === 'prompts' ? edit.prompts : {}))).toEqual([
      { system: 'Short queries. Newest answer.', finish: 'Answer now.' },
      { system: 'Search, then answer.', finish: 'Answer now.' },
      { system: 'Explain your answer.', finish: 'Answer now.' },
    ]);
    expect(promptIdeas('No word of it.')).toEqual([]);
  });
});

describe('a source', () => {
  it('takes regions and prompts and keeps all else', () => {
    const { seedHarness } = domain;
    expect(withRegions(seedHarness, regionsIn(seedHarness))).toBe(seedHarness);
    expect(withRegions(seedHarness, [{ slot: 'unknown', variant: 'x', text: '' }])).toBeUndefined();
    const quoted = withPrompt(seedHarness, 'finish', "Don't\\wait.") ?? '';
    expect(promptIn(quoted, 'finish')).toBe("Don\\'t\\\\wait.");
    expect(withPrompt(quoted, 'finish', 'Search, then answer.')).toBe(seedHarness);
    expect(withPrompt(seedHarness, 'other', 'x')).toBeUndefined();
  });

  it.each(SLIPS)('of %s with a slip is mended by its message', (name) => {
    const sound = withAll(chain(named(name)));
    const slipped = slippedSource(name);
    expect(slipped).not.toBe(sound);
    const error = errors.find((one) => one.startsWith(`${name}-slipped`)) ?? '';
    const [, line, message] = /:(\d+): (.+)/u.exec(error) ?? [];
    expect(line).toBeDefined();
    expect(repaired(slipped, `Rejected at the stage \`types\`, line ${line}: ${message}\n  > 1 | code`)).toBe(sound);
  });

  it('is left alone where the message is of something else', () => {
    const { seedHarness } = domain;
    expect(withSlip(seedHarness, seedHarness)).toBeUndefined();
    expect(repaired(seedHarness, "Rejected at the stage `smoke`, line 3: 'said' is possibly 'null'.")).toBeUndefined();
    expect(repaired(seedHarness, "Rejected at the stage `types`, line 3: Cannot find name 'said'.")).toBeUndefined();
    expect(repaired(seedHarness, "Rejected at the stage `types`, line 3: 'said' is possibly 'null'.")).toBeUndefined();
  });
});
