// variant two-searches
// targets: hops, retrieval
// hypothesis: Letting the model search once more when it asks to makes two-hop questions answerable.
function* converse(question: string) {
  const steps: Step[] = [];
  let reply = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
  while (steps.length < 2 && (steps.length === 0 || /^(?:search|query):/.test(reply.text))) {
    steps.push(yield* take(reply.text, question));
    reply = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
  }
  return { said: reply.text, steps };
}

// variant forced
// targets: hops, retrieval, truncation
// hypothesis: Two searches at the model's wish and then one last call with PROMPTS.finish leave no rollout without an answer.
function* converse(question: string) {
  const steps: Step[] = [];
  let reply = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
  while (steps.length < 2 && (steps.length === 0 || /^(?:search|query):/.test(reply.text))) {
    steps.push(yield* take(reply.text, question));
    reply = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
  }
  if (/^(?:search|query):|^unknown/.test(reply.text)) {
    reply = yield* generate(remember(PROMPTS.finish, question, steps), { maxTokens: 20 });
  }
  return { said: reply.text, steps };
}

// variant by-hops
// targets: hops, retrieval, truncation
// hypothesis: The question's form tells how many searches it needs; holding the model to that number, and closing with PROMPTS.finish, stops both early answers and endless searches.
function* converse(question: string) {
  const twoHops = /\bthe \w+ (?:where|of) .*\b(?:live|lives|born)\b|\bof the \w+ (?:of|where)\b/.test(question);
  const needed = twoHops ? 2 : 1;
  const outer = /^Where/.test(question)
    ? /born/.test(question)
      ? 'born'
      : 'lives'
    : (/is the (\w+)/.exec(question)?.[1] ?? '');
  const steps: Step[] = [];
  let reply = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
  while (steps.length < needed) {
    const isAnswer = steps.length > 0 && !/^(?:search|query):/.test(reply.text);
    const said = isAnswer ? `search: ${toAnswer(reply.text, steps)} ${outer}` : reply.text;
    steps.push(yield* take(said, question));
    const system = steps.length === needed ? PROMPTS.finish : PROMPTS.system;
    reply = yield* generate(remember(system, question, steps), { maxTokens: 20 });
  }
  return { said: reply.text, steps };
}

// variant question-first
// targets: format, retrieval
// hypothesis: Searching with the question at once spares a model call that can only spoil the query.
function* converse(question: string) {
  const step = yield* take(`search: ${question}`, question);
  const reply = yield* generate(remember(PROMPTS.system, question, [step]), { maxTokens: 20 });
  return { said: reply.text, steps: [step] };
}

// variant always-two
// targets: hops
// hypothesis: Two searches for every question miss no second hop.
function* converse(question: string) {
  const steps: Step[] = [];
  for (let i = 0; i < 2; i++) {
    const asked = yield* generate(remember(PROMPTS.system, question, steps), { maxTokens: 20 });
    steps.push(yield* take(asked.text, question));
  }
  const reply = yield* generate(remember(PROMPTS.finish, question, steps), { maxTokens: 20 });
  return { said: reply.text, steps };
}
