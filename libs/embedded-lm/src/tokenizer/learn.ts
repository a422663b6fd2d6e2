import { pretokens } from './pretokens.ts';
import { FIRST_BYTE, FIRST_MERGE, pairKey, type TokenizerFile } from './tokenizer.ts';

export interface LearnTokenizerOptions {
  texts: Iterable<string>;
  /** Upper bound of ids, control tokens and bytes included. */
  vocab: number;
  /** A merge is learnt only when its pair makes up at least this share of all words. */
  minShare: number;
}

/**
 * Learns BPE merges. Deterministic: the most frequent pair first, ties by the smaller ids. `minShare` keeps rare words
 * in pieces: a model this small copies a name of two common syllables far better than one of ten thousand names.
 */
export function learnTokenizer({ texts, vocab, minShare }: LearnTokenizerOptions): TokenizerFile {
  const counts = new Map<string, number>();
  let words = 0;
  for (const text of texts) {
    for (const piece of pretokens(text)) {
      counts.set(piece, (counts.get(piece) ?? 0) + 1);
      words += 1;
    }
  }
  const entries = [...counts].map(([piece, count]) => ({
    ids: [...new TextEncoder().encode(piece)].map((byte) => FIRST_BYTE + byte),
    count,
  }));
  const merges: [number, number][] = [];
  while (FIRST_MERGE + merges.length < vocab) {
    const best = mostFrequentPair(entries);
    if (best === undefined || best.count < minShare * words) break;
    const id = FIRST_MERGE + merges.length;
    merges.push([best.left, best.right]);
    for (const { ids } of entries) {
      for (let i = 0; i + 1 < ids.length; i++) {
        if (ids[i] === best.left && ids[i + 1] === best.right) ids.splice(i, 2, id);
      }
    }
  }
  return { format: 'whale-bpe-1', merges };
}

function mostFrequentPair(
  entries: readonly { ids: readonly number[]; count: number }[],
): { left: number; right: number; count: number } | undefined {
  const pairs = new Map<number, number>();
  for (const { ids, count } of entries) {
    for (let i = 0; i + 1 < ids.length; i++) {
      const key = pairKey(ids[i] as number, ids[i + 1] as number);
      pairs.set(key, (pairs.get(key) ?? 0) + count);
    }
  }
  let [best, most] = [-1, 0];
  for (const [key, count] of pairs) {
    if (count > most || (count === most && key < best)) [best, most] = [key, count];
  }
  return best < 0 ? undefined : { left: Math.floor(best / 65536), right: best % 65536, count: most };
}
