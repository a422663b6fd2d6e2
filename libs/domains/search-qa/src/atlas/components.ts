import { readFileSync } from 'node:fs';
import { regionsOf, type ComponentVariant } from '@whale/domain-api';

const read = (name: string) => readFileSync(new URL(`./harness/${name}.harness.ts`, import.meta.url), 'utf8');

/** h₀, readable in `harness/seed.harness.ts`. */
export const seedHarness: string = read('seed');

/** What the author of h₀ expected of its parts. They are variants like the others, so that a search can go back. */
const SEED_BELIEFS: Record<string, { targets: string[]; hypothesis: string }> = {
  prompts: { targets: ['format'], hypothesis: 'Three words are enough to keep the model to the protocol.' },
  query: { targets: ['retrieval'], hypothesis: 'The tool understands what the model says without any clean-up.' },
  search: {
    targets: ['retrieval'],
    hypothesis: 'Three results hold the current document and do not overflow the context.',
  },
  ranking: { targets: ['extraction'], hypothesis: "The tool's own order is the best order for the model." },
  packaging: {
    targets: ['extraction'],
    hypothesis: 'With its year before each document the model can tell the newest version.',
  },
  memory: { targets: ['hops'], hypothesis: 'The whole history in view lets the model connect two searches.' },
  loop: { targets: ['truncation'], hypothesis: 'One search answers most questions and cannot run out of turns.' },
  finish: { targets: ['format'], hypothesis: 'The model writes "answer: " and then nothing but the name.' },
};

const VARIANT =
  /^\/\/ variant (?<name>[\w-]+)\n\/\/ targets: (?<targets>.+)\n\/\/ hypothesis: (?<hypothesis>.+)\n(?<source>[\s\S]*?)(?=^\/\/ variant |$(?![\s\S]))/gmu;

/** All variants of all slots, h₀'s own first in each slot. The sources stand in `harness/<slot>.harness.ts`. */
export const components: readonly ComponentVariant[] = regionsOf(seedHarness).flatMap(({ slot, variant, text }) => {
  const beliefs = SEED_BELIEFS[slot] ?? { targets: [], hypothesis: '' };
  const others = [...read(slot).matchAll(VARIANT)].map(({ groups }): ComponentVariant => ({
    slot,
    name: groups?.name ?? '',
    source: (groups?.source ?? '').trim(),
    targets: (groups?.targets ?? '').split(', '),
    hypothesis: groups?.hypothesis ?? '',
  }));
  return [{ slot, name: variant, source: text, ...beliefs }, ...others];
});
