// variant two
// targets: extraction
// hypothesis: Two documents distract the model less than three.
function* lookUp(query: string, question: string) {
  const result = yield* tool('search', { query, k: 2 });
  return Array.isArray(result) ? result : [];
}

// variant eight
// targets: retrieval
// hypothesis: The current document is often ranked fourth to eighth behind stale versions and talk; eight results hold it.
function* lookUp(query: string, question: string) {
  const result = yield* tool('search', { query, k: 8 });
  return Array.isArray(result) ? result : [];
}

// variant twenty
// targets: retrieval
// hypothesis: All the tool gives, twenty results, holds the current document nearly always.
function* lookUp(query: string, question: string) {
  const result = yield* tool('search', { query, k: 20 });
  return Array.isArray(result) ? result : [];
}

// variant retry
// targets: retrieval, hops
// hypothesis: When no page found bears a name of the query, the query was miscopied; searching the question's names and key words instead rescues it.
function* lookUp(query: string, question: string) {
  const first = yield* tool('search', { query, k: 8 });
  const found = Array.isArray(first) ? first : [];
  const words: string[] = query.match(/[A-Za-z]+/g) ?? [];
  if (found.some((document) => words.includes(document.title.split(' ').at(-1) ?? ''))) return found;
  const fillers = ['Who', 'What', 'Where', 'is', 'was', 'does', 'the', 'of', 'town', 'where'];
  const kept = (question.match(/[A-Za-z]+/g) ?? []).filter((word) => !fillers.includes(word));
  const second = yield* tool('search', { query: kept.join(' ').replace(/\blive\b/, 'lives'), k: 8 });
  return Array.isArray(second) ? second : found;
}
