// targets: hops, truncation, retrieval
// mechanism: the form of the question says how many searches it takes, and an answer that comes too early becomes the next query
// evidence: outcomes "hops":0\.5
// says: rollouts found the first of two facts and not the second
// because: a chained question needs the first result before it can ask for the second, and the model stops after one search
// region memory: last-search
function remember(system: string, question: string, steps: Step[]): Message[] {
  const messages: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  // Two searches at once do not fit the context.
  const last = steps.at(-1);
  if (last !== undefined) {
    messages.push({ role: 'assistant', content: last.said }, { role: 'tool', content: last.shown });
  }
  return messages;
}
// endregion
// region loop: follow-up
function* converse(question: string) {
  const isPlace = question.startsWith('Where');
  const links = question.match(/\bthe \w+ (?:of|where)\b/g) ?? [];
  const searches = Math.max(1, links.length + (isPlace ? 1 : 0));
  const asked = isPlace ? (/\bborn\b/.test(question) ? 'born' : 'lives') : (/\bthe (\w+)/.exec(question)?.[1] ?? '');
  const steps: Step[] = [];
  let reply = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
  while (steps.length < searches) {
    const isEarly = steps.length > 0 && !/^\s*(?:search|query):/i.test(reply.text);
    const said = isEarly ? `search: ${toAnswer(reply.text, steps)} ${asked}` : reply.text;
    steps.push(yield* take(said, question));
    const prompt = steps.length === searches ? PROMPTS.finish : PROMPTS.system;
    reply = yield* generate(remember(prompt, question, steps), { maxTokens: 20 });
  }
  return { said: reply.text, steps };
}
// endregion
