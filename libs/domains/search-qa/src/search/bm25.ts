/**
 * Literal BM25: terms are lower-cased runs of letters and digits, with no stop words, no stemming and no length
 * normalisation (b = 0, so a chatty document is as good as a terse one). Ties keep the order of the documents. It is
 * raw on purpose: making good queries for it is the harness's work.
 */
export interface Bm25Index {
  /** Places (0-based) and scores of the best `k` documents, best first; only those that share a term with the query. */
  search(query: string, k: number): { place: number; score: number }[];
}

const SATURATION = 1.2;

export function terms(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function bm25(texts: readonly string[]): Bm25Index {
  const postings = new Map<string, Map<number, number>>();
  for (const [place, text] of texts.entries()) {
    for (const term of terms(text)) {
      const counts = postings.get(term) ?? new Map<number, number>();
      counts.set(place, (counts.get(place) ?? 0) + 1);
      postings.set(term, counts);
    }
  }
  const weight = (found: number) => Math.log(1 + (texts.length - found + 0.5) / (found + 0.5));
  return {
    search(query, k) {
      const scores = new Map<number, number>();
      for (const term of new Set(terms(query))) {
        const counts = postings.get(term);
        if (counts === undefined) continue;
        const idf = weight(counts.size);
        for (const [place, count] of counts) {
          const gain = (idf * count * (SATURATION + 1)) / (count + SATURATION);
          scores.set(place, (scores.get(place) ?? 0) + gain);
        }
      }
      return [...scores]
        .map(([place, score]) => ({ place, score }))
        .sort((a, b) => b.score - a.score || a.place - b.place)
        .slice(0, k);
    },
  };
}
