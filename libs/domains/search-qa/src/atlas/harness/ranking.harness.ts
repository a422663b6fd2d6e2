// variant newest-first
// targets: retrieval, extraction
// hypothesis: The question asks for the present, so the newest documents should stand first.
function rank(documents: Found[], query: string): Found[] {
  return [...documents].sort((a, b) => b.year - a.year);
}

// variant oldest-first
// targets: extraction
// hypothesis: The model reads the end of the list best, so the newest documents should stand last.
function rank(documents: Found[], query: string): Found[] {
  return [...documents].sort((a, b) => a.year - b.year);
}

// variant no-stale
// targets: extraction
// hypothesis: Dropping every version of a fact but the newest found leaves nothing stale to copy.
function rank(documents: Found[], query: string): Found[] {
  const about = (document: Found) =>
    document.text.replace(/(?<= (?:is|in) )(?:Lord |Lady |River )?\w+\.$/, '').replace(/^(?:The|Lord|Lady) /, '');
  return documents.filter(
    (document) => !documents.some((other) => about(other) === about(document) && other.year > document.year),
  );
}

// variant own-page
// targets: retrieval, extraction
// hypothesis: Pages whose title is a name of the query beat namesakes and talk, so they should stand first.
function rank(documents: Found[], query: string): Found[] {
  const isOwn = (document: Found) => query.split(/\W+/).includes(document.title);
  return [...documents.filter(isOwn), ...documents.filter((document) => !isOwn(document))];
}

// variant own-page-no-stale
// targets: retrieval, extraction
// hypothesis: The query's own pages first, each fact in its newest version only: the first line is then the answer's.
function rank(documents: Found[], query: string): Found[] {
  const about = (document: Found) =>
    document.text.replace(/(?<= (?:is|in) )(?:Lord |Lady |River )?\w+\.$/, '').replace(/^(?:The|Lord|Lady) /, '');
  const fresh = documents.filter(
    (document) => !documents.some((other) => about(other) === about(document) && other.year > document.year),
  );
  const isOwn = (document: Found) => query.split(/\W+/).includes(document.title);
  return [...fresh.filter(isOwn), ...fresh.filter((document) => !isOwn(document))];
}
