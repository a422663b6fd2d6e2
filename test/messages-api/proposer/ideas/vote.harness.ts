// targets: extraction, format
// needs: follow-up
// mechanism: the model answers several times from the same documents and the name that comes most often holds
// evidence: outcomes "retrieval":true,"extraction":false|"extraction":false.*"retrieval":true
// says: rollouts were shown the answer and gave another
// because: the model slips at random, so its mistakes disagree with each other while its right answers agree
// region loop: follow-up-vote
function* converse(question: string) {
  const isPlace = question.startsWith('Where');
  const links = question.match(/\bthe \w+ (?:of|where)\b/g) ?? [];
  const searches = Math.max(1, links.length + (isPlace ? 1 : 0));
  const asked = isPlace ? (/\bborn\b/.test(question) ? 'born' : 'lives') : (/\bthe (\w+)/.exec(question)?.[1] ?? '');
  const steps: Step[] = [];
  let said = (yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 })).text;
  while (steps.length < searches) {
    steps.push(yield* take(said, question));
    const isLast = steps.length === searches;
    const messages = remember(isLast ? PROMPTS.finish : PROMPTS.system, question, steps);
    const heard: string[] = [];
    for (let round = 0; round < (isLast ? 4 : 2); round++) {
      heard.push((yield* generate(messages, { maxTokens: 20 })).text);
    }
    const queries = heard.filter((text) => /^\s*(?:search|query):/i.test(text));
    const names = (isLast ? heard : queries.length > 0 ? queries : heard).map((text) => toAnswer(text, steps));
    const votes = (name: string) => names.filter((other) => other === name && name !== 'unknown').length;
    const best = names.reduce((a, b) => (votes(b) > votes(a) ? b : a));
    if (isLast) said = `answer: ${best}`;
    else said = queries[0] ?? `search: ${best} ${asked}`;
  }
  return { said, steps };
}
// endregion
