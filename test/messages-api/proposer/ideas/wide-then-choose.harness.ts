// targets: retrieval, extraction
// mechanism: many documents are fetched and code chooses the few that the model sees: own pages, each claim in its newest version
// because: the current document is often found behind stale versions and namesakes, and what the model sees of those it copies
// region search: ten
function* lookUp(query: string, question: string) {
  const result = yield* tool('search', { query, k: 10 });
  return Array.isArray(result) ? result : [];
}
// endregion
// region ranking: own-current
function rank(documents: Found[], query: string): Found[] {
  // Two documents that differ in the last name only are versions of one claim.
  const claimOf = ({ text }: Found) => text.replace(/\b(?:Lord|Lady|River) /g, '').replace(/\w+\.$/, '');
  const newest = new Map<string, Found>();
  for (const document of documents) {
    const known = newest.get(claimOf(document));
    if (known === undefined || known.year < document.year) newest.set(claimOf(document), document);
  }
  const current = documents.filter((document) => newest.get(claimOf(document)) === document);
  const words = query.split(/\W+/);
  const own = current.filter((document) => words.includes(document.title));
  return own.length > 0 ? own : current;
}
// endregion
// region packaging: best-three
function pack(documents: Found[]): string {
  if (documents.length === 0) return 'Nothing found.';
  return documents
    .slice(0, 3)
    .map(({ year, text }) => `${year}: ${text}`)
    .join('\n');
}
// endregion
