// variant latest
// targets: truncation, extraction
// hypothesis: Only the last search in view keeps a second search within the context and old documents out of the answer.
function remember(system: string, question: string, steps: Step[]): Message[] {
  const opening: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  return opening.concat(
    steps.slice(-1).flatMap((step): Message[] => [
      { role: 'assistant', content: step.said },
      { role: 'tool', content: step.shown },
    ]),
  );
}

// variant latest-tidy
// targets: extraction, format
// hypothesis: Showing the query that was really sent in place of what the model said lets it read the documents in its light; it helps with the query variant terse.
function remember(system: string, question: string, steps: Step[]): Message[] {
  const opening: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  return opening.concat(
    steps.slice(-1).flatMap((step): Message[] => [
      { role: 'assistant', content: `search: ${step.query}` },
      { role: 'tool', content: step.shown },
    ]),
  );
}

// variant documents-only
// targets: truncation
// hypothesis: The question and the documents are enough; the model's own words waste context.
function remember(system: string, question: string, steps: Step[]): Message[] {
  const shown = steps.map((step) => step.shown).join('\n');
  const messages: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  return steps.length === 0 ? messages : [...messages, { role: 'tool', content: shown }];
}
