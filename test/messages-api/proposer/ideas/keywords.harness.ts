// targets: retrieval, hops
// mechanism: the query keeps the words that carry meaning, not the sentence that the model says
// evidence: trajectories ^  +"query": ".*\b(?:[Ss]earch:|Who|What|Where|the)\b
// says: queries hold the prefix of the protocol or words of a question
// because: the index counts each word alike, so question words and the prefix bring talk before the page that states the fact
// region query: keywords
function toQuery(said: string, question: string): string {
  const idle = /^(?:who|what|where|which|is|was|are|does|did|the|a|of|in|town|search|query|answer)$/i;
  const meaningful = (text: string) => {
    const words: string[] = text.match(/[A-Za-z]+/g) ?? [];
    return words.filter((word, place) => !idle.test(word) && words.indexOf(word) === place);
  };
  const own = meaningful(said);
  // Documents say "lives" where questions say "live".
  return (own.length > 0 ? own : meaningful(question)).map((word) => (word === 'live' ? 'lives' : word)).join(' ');
}
// endregion
