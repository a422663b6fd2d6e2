const ARTICLES = /\b(?:the|a|an)\b/gu;

/**
 * What two answers are compared by: compatibility-composed, lower case, without invisible characters, punctuation and
 * articles, single spaces.
 */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(ARTICLES, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}
