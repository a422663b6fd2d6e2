/** Words in lower case, the same for all ways to write them: punctuation, width and white space do not count. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Word sequences, found wherever they stand in another. */
export class Phrases<Label> {
  readonly #byFirst = new Map<string, { words: readonly string[]; label: Label }[]>();

  /** Of two labels of one phrase the first stays. */
  add(words: readonly string[], label: Label): void {
    const [first] = words;
    if (first === undefined) return;
    const list = this.#byFirst.get(first) ?? [];
    if (list.some((one) => isAt(one.words, words, 0) && one.words.length === words.length)) return;
    this.#byFirst.set(first, [...list, { words, label }]);
  }

  /** The phrases that stand in `words`, with the place of their first word. */
  *in(words: readonly string[]): Generator<{ place: number; length: number; label: Label }> {
    for (const [place, word] of words.entries()) {
      for (const one of this.#byFirst.get(word) ?? []) {
        if (isAt(one.words, words, place)) yield { place, length: one.words.length, label: one.label };
      }
    }
  }
}

function isAt(phrase: readonly string[], words: readonly string[], place: number): boolean {
  return phrase.every((word, i) => words[place + i] === word);
}
