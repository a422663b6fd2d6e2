import type { ComponentVariant, Domain, Task } from '@whale/domain-api';

const seedHarness = `/* Asks once. */
export const PROMPTS = { system: 'Answer.' };

// region query: plain
function toQuery(question: string): string {
  return question;
}
// endregion

// region finish: whole
function toAnswer(said: string): string {
  return said;
}
// endregion

export default function* (task: TaskInput, limits: Limits): Run<Answer> {
  const hits = yield* tool('search', { query: toQuery(task.question) });
  const reply = yield* generate([
    { role: 'system', content: PROMPTS.system },
    { role: 'user', content: JSON.stringify(hits) },
  ]);
  return { answer: toAnswer(reply.text) };
}
`;

const query = (name: string, body: string): ComponentVariant => ({
  slot: 'query',
  name,
  source: `function toQuery(question: string): string {\n  ${body}\n}`,
  targets: ['retrieval'],
  hypothesis: `The query variant ${name} raises retrieval.`,
});

export const good = query('lower', 'return question.toLowerCase();');
export const syntaxError = query('syntax', 'return question +;');
export const typeError = query('types', 'return question.length;');
export const throwing = query('throwing', "throw new Error('not today');");
export const endless = query('endless', 'for (;;) question += 1;');

/** One tool, two slots, and whatever variants a test wants. */
export function smallDomain(components: readonly ComponentVariant[]): Domain {
  const task: Task = { id: 'h1', split: 'harness', input: { question: 'Who?' } };
  const sealed: Task = { id: 'v1', split: 'validation', input: { question: 'Whose?' } };
  return {
    name: 'small',
    dataset: 'one',
    tasks: (split) => [task, sealed].filter((one) => one.split === split),
    task: (id) => [task, sealed].find((one) => one.id === id),
    tools: () => ({ call: (name) => (name === 'search' ? ['found'] : { error: `no tool ${name}` }) }),
    verify: () => ({ reward: 0, diagnostics: {} }),
    gold: () => ['nobody'],
    seedHarness,
    components,
    diagnostics: { retrieval: 'True when found.', format: 'True when well formed.' },
    description: '',
    harnessTypes: `
interface TaskInput { question: string }
interface Tools { search: { args: { query: string }; result: string[] } }
`,
  };
}
