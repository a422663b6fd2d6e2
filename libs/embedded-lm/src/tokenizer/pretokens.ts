/**
 * Text in pieces that merges never cross: a word, a number or punctuation, each with the one space before it, or
 * white space. The pieces joined give the text again.
 */
export function pretokens(text: string): string[] {
  return text.match(/ ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+/gu) ?? [];
}
