/**
 * JSON text with every lone surrogate as U+FFFD. JSON.stringify escapes lone surrogates (and only those), so the text
 * shows them. Why: a harness that cuts a string inside an emoji makes one; no tokenizer, database or RFC 8785 hash
 * takes it, and UTF-8 would turn it into U+FFFD anyway. So it happens once, at the boundary, for both directions.
 */
export function wellFormedJson(text: string): string {
  if (!text.includes('\\ud')) return text;
  return text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g, (match, surrogate: string | undefined) =>
    surrogate === undefined ? match : '\ufffd',
  );
}

/** The same for a text that is no JSON. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
