// targets: extraction, format
// needs: keywords, follow-up
// mechanism: the model is shown the query that was sent in place of what it said
// because: a tidy history is what it was trained on, and it reads the documents in the light of the query before them
// region memory: query-shown
function remember(system: string, question: string, steps: Step[]): Message[] {
  const opening: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  const last = steps.at(-1);
  if (last === undefined) return opening;
  return [...opening, { role: 'assistant', content: `search: ${last.query}` }, { role: 'tool', content: last.shown }];
}
// endregion
