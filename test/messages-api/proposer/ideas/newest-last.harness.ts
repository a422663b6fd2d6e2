// targets: extraction
// needs: wide-then-choose
// mechanism: documents stand in the order of their years, the newest last
// because: a small model leans on what it has read last
// region ranking: newest-last
function rank(documents: Found[], query: string): Found[] {
  const words = query.split(/\W+/);
  const own = documents.filter((document) => words.includes(document.title));
  return [...(own.length > 0 ? own : documents)].sort((a, b) => a.year - b.year).slice(-3);
}
// endregion
