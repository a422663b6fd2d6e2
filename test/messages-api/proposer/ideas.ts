import { readFileSync } from 'node:fs';
import type { Evidence, Idea } from './idea.ts';
import { regionsIn } from './source.ts';

/** In the order in which they are tried where nothing speaks for another. */
const NAMES = [
  'wide-then-choose',
  'follow-up',
  'keywords',
  'name-only',
  'vote',
  'planned-query',
  'query-shown',
  'one-document',
  'second-look',
  'key-word-first',
  'shown-name',
  'fit-context',
  'newest-last',
] as const;

/** What the proposer would try in a harness of named regions; each stands in `ideas/<name>.harness.ts`. */
export const codeIdeas: readonly Idea[] = NAMES.map((name) => {
  const text = readFileSync(new URL(`./ideas/${name}.harness.ts`, import.meta.url), 'utf8');
  const head = (label: string) => new RegExp(`^// ${label}: (.+)$`, 'mu').exec(text)?.[1] ?? '';
  const list = (label: string) => head(label).split(', ').filter(Boolean);
  return {
    name,
    targets: list('targets'),
    needs: list('needs'),
    mechanism: head('mechanism'),
    because: head('because'),
    ...evidenceOf(head('evidence'), head('says')),
    edit: { kind: 'regions', regions: regionsIn(text) },
  };
});

/** Other system prompts that the domain's text says the model has met, in backticks after "prompts". */
export function promptIdeas(domainText: string): Idea[] {
  const passage = /system prompts[\s\S]*?(?=\n\s*\n|\n- )/iu.exec(domainText)?.[0] ?? '';
  const met = [...passage.matchAll(/`([^`]+\.)`\s*(\([^)]*\))?/gu)].map(([, prompt = '', remark = '']) => ({
    prompt,
    closes: /never\s+search/iu.test(remark),
  }));
  const closing = met.find(({ closes }) => closes)?.prompt;
  return met
    .filter(({ closes }) => !closes)
    .sort((a, b) => Number(isCareful(b.prompt)) - Number(isCareful(a.prompt)))
    .map(({ prompt }) => ({
      name: `prompt-${
        prompt
          .toLowerCase()
          .match(/[a-z]+/gu)
          ?.join('-') ?? ''
      }`.slice(0, 30),
      targets: isCareful(prompt) ? ['format', 'extraction', 'retrieval'] : ['format'],
      needs: [],
      mechanism: `the system prompt is ${JSON.stringify(prompt)}, and the last call closes with one that never searches`,
      because: 'the model has met these words in its training, and the wording selects how it works',
      edit: { kind: 'prompts', prompts: { system: prompt, ...(closing === undefined ? {} : { finish: closing }) } },
    }));
}

/** It asks for what the domain asks for: few words, the newest fact. */
function isCareful(prompt: string): boolean {
  return /short|newest/iu.test(prompt);
}

function evidenceOf(text: string, says: string): { evidence?: Evidence } {
  const [, place, pattern] = /^(trajectories|outcomes) (.+)$/u.exec(text) ?? [];
  if (place === undefined || pattern === undefined) return {};
  return { evidence: { in: place as Evidence['in'], pattern, says } };
}
