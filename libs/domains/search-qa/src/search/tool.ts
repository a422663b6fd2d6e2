import type { DomainTools } from '@whale/domain-api';
import { z } from 'zod';
import { bm25 } from './bm25.ts';

export interface Searchable {
  id: string;
  title: string;
  text: string;
  year: number;
}

/** One ranked document as the harness receives it. */
export interface Hit extends Searchable {
  /** BM25, rounded to three decimals. */
  score: number;
}

export const MOST_RESULTS = 20;
const LONGEST_QUERY = 400;

const SearchArgs = z.strictObject({
  /** Matched literally against the texts. */
  query: z.string().max(LONGEST_QUERY),
  k: z.int().min(1).max(MOST_RESULTS).default(3),
});

/** The index of a corpus. Immutable after construction, so all rollouts share one. */
export class SearchEngine {
  readonly #documents: readonly Searchable[];
  readonly #index;

  constructor(documents: readonly Searchable[]) {
    this.#documents = documents;
    this.#index = bm25(documents.map((document) => document.text));
  }

  search(query: string, k: number): Hit[] {
    return this.#index.search(query, k).flatMap(({ place, score }) => {
      const document = this.#documents[place];
      if (document === undefined) return [];
      const { id, title, text, year } = document;
      return [{ id, title, text, year, score: Math.round(score * 1000) / 1000 }];
    });
  }
}

/** The environment: one tool, `search`. Total: whatever the arguments, it answers or says `{ error }`. */
export function searchTools(engine: SearchEngine): DomainTools {
  return {
    call(name, args) {
      if (name !== 'search') return { error: `no tool named ${JSON.stringify(name)}; there is: search` };
      const parsed = SearchArgs.safeParse(args);
      if (!parsed.success) return { error: `search: ${z.prettifyError(parsed.error)}` };
      return engine.search(parsed.data.query, parsed.data.k).map((hit) => ({ ...hit }));
    },
  };
}
