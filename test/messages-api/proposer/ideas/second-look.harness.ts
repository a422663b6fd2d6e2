// targets: retrieval, hops
// needs: wide-then-choose
// mechanism: a search that finds no page of a name in the query is made again with the names of the question
// evidence: trajectories ^  result \[\]
// says: searches found nothing
// because: where the model has miscopied a name, nothing it can be shown answers the question
// region search: second-look
function* lookUp(query: string, question: string) {
  const first = yield* tool('search', { query, k: 10 });
  const found = Array.isArray(first) ? first : [];
  const words = query.split(/\W+/);
  if (found.some((document) => words.includes(document.title))) return found;
  const key = question.match(/\b(?:\w+(?= of\b)|lives?|born)\b/g)?.at(-1) ?? '';
  const names = (question.match(/\b[A-Z][a-z]+/g) ?? []).filter((word) => !/^(?:Who|What|Where)$/.test(word));
  const again = yield* tool('search', { query: [...names, key === 'live' ? 'lives' : key].join(' '), k: 10 });
  return Array.isArray(again) && again.length > 0 ? again : found;
}
// endregion
