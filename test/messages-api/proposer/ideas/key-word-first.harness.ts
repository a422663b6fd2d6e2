// targets: extraction, retrieval
// needs: wide-then-choose
// mechanism: among the current documents those come first that share every word of the query
// because: a page has several facts, and the one that was asked for is the one that shares the query's last word too
// region ranking: own-current-asked
function rank(documents: Found[], query: string): Found[] {
  const claimOf = ({ text }: Found) => text.replace(/\b(?:Lord|Lady|River) /g, '').replace(/\w+\.$/, '');
  const newest = new Map<string, Found>();
  for (const document of documents) {
    const known = newest.get(claimOf(document));
    if (known === undefined || known.year < document.year) newest.set(claimOf(document), document);
  }
  const words = query.split(/\W+/).filter((word) => word !== '');
  const shared = ({ text, title }: Found) =>
    words.filter((word) => text.split(/\W+/).includes(word)).length + (words.includes(title) ? 1 : 0);
  return documents
    .filter((document) => newest.get(claimOf(document)) === document && document.title !== 'Talk')
    .sort((a, b) => shared(b) - shared(a));
}
// endregion
