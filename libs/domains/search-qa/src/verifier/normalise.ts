const ARTICLES = /\b(?:the|a|an)\b/gu;

/**
 * What two answers are compared by: compatibility-composed, lower case, without punctuation and articles, single
 * spaces. An invisible character counts as punctuation, so it parts a word: a name with one inside is another text.
 */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(ARTICLES, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}
