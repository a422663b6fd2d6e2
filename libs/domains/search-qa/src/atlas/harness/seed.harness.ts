/*
 * Answers a question about the atlas: the model asks for documents, reads them, answers.
 *
 * The file is made of regions, one for each slot. A region can be exchanged for another variant of its slot, since the
 * signatures are fixed:
 *
 *   prompts    PROMPTS.system (every call) and PROMPTS.finish (the last, forced call, where the loop makes one)
 *   query      toQuery(said, question): the query sent to the search tool, from what the model said
 *   search     lookUp(query, question): the documents found
 *   ranking    rank(documents, query): their order, and which are kept
 *   packaging  pack(documents): what the model reads of them
 *   memory     remember(system, question, steps): the messages of the next call
 *   loop       converse(question): the model's last words
 *   finish     toAnswer(said, steps): the answer, from the model's last words
 */

type Found = { id: string; title: string; text: string; year: number; score: number };

/** One search: what the model said, the query that was sent, what came back, what the model was shown. */
type Step = { said: string; query: string; documents: Found[]; shown: string };

// region prompts: plain
export const PROMPTS = {
  system: 'Search, then answer.',
  finish: 'Search, then answer.',
};
// endregion

// region query: verbatim
function toQuery(said: string, question: string): string {
  return said;
}
// endregion

// region search: three
function* lookUp(query: string, question: string) {
  const result = yield* tool('search', { query, k: 3 });
  return Array.isArray(result) ? result : [];
}
// endregion

// region ranking: as-found
function rank(documents: Found[], query: string): Found[] {
  return documents;
}
// endregion

// region packaging: dated
function pack(documents: Found[]): string {
  return documents.map((document) => `${document.year}: ${document.text}`).join('\n');
}
// endregion

// region memory: whole
function remember(system: string, question: string, steps: Step[]): Message[] {
  const messages: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  for (const step of steps) {
    messages.push({ role: 'assistant', content: step.said }, { role: 'tool', content: step.shown });
  }
  return messages;
}
// endregion

// region loop: single-shot
function* converse(question: string) {
  const asked = yield* generate(remember(PROMPTS.system, question, []), { maxTokens: 20 });
  const step = yield* take(asked.text, question);
  const reply = yield* generate(remember(PROMPTS.system, question, [step]), { maxTokens: 20 });
  return { said: reply.text, steps: [step] };
}
// endregion

// region finish: after-prefix
function toAnswer(said: string, steps: Step[]): string {
  return said.startsWith('answer: ') ? said.slice('answer: '.length) : said;
}
// endregion

/** Does one search with what the model said. */
function* take(said: string, question: string) {
  const query = toQuery(said, question);
  const documents = rank(yield* lookUp(query, question), query);
  const step: Step = { said, query, documents, shown: pack(documents) };
  return step;
}

export default function* (task: TaskInput) {
  const { said, steps } = yield* converse(task.question);
  const answer = toAnswer(said, steps);
  return { answer: answer === '' ? null : answer };
}
