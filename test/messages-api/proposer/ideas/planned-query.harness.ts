// targets: retrieval, hops
// needs: keywords
// mechanism: the query is made from the question's own name and relation; of what the model says only a new name is used
// because: the model miscopies names and drops the word that the document shares, and the question has both right
// region query: planned
function toQuery(said: string, question: string): string {
  const namesIn = (text: string) =>
    (text.match(/\b[A-Z][a-z]+/g) ?? []).filter((word) => !/^(?:Who|What|Where|The|Lord|Lady|River)$/.test(word));
  // In the order of the question: the outermost first, unless it is asked by a verb at the end.
  const links = [...question.matchAll(/\b(\w+) of\b|\b(lives?|born)\b/g)].map(([, noun, verb]) => noun ?? verb ?? '');
  const relations = (question.startsWith('Where') ? [links.at(-1) ?? '', ...links.slice(0, -1)] : links).map((word) =>
    word === 'live' ? 'lives' : word,
  );
  const asked = namesIn(question);
  const told = namesIn(said.replace(/^\s*\w+:/, '')).filter((name) => !asked.includes(name));
  if (told.length === 0 || relations.length < 2) return [...asked, relations.at(-1)].join(' ');
  return [...told, relations[0]].join(' ');
}
// endregion
