/** Harness sources for the tests of this package. */

export const PROMPTS = "export const PROMPTS = { system: 'You answer.' };\n";

/** A harness whose generator has this body; the body starts on line 3. */
export function harness(body: string, signature = '(task: any, limits: any)'): string {
  return `${PROMPTS}export default function* ${signature} {\n${body}\n}\n`;
}

/** An agent loop: generate and search by turns, all of it in the answer. */
export const LOOP = harness(`
  const seen: string[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const reply = yield* generate([{ role: 'user', content: task.question + turn }], { maxTokens: 8 });
    const docs = yield* tool('search', { query: reply.text, k: turn + 1 });
    seen.push(reply.text, docs.text);
  }
  return { answer: seen.join(' ') };
`);

/** Bombs that use native loops: no fuel is counted while they run. */
export const NATIVE_BOMB = harness("'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b')");

/** Slow by JavaScript: some hundred ms of CPU, legal. */
export const BUSY = harness(`
  let sum = 0;
  for (let i = 0; i < 3_000_000; i++) sum = (sum + i * 7) % 1_000_003;
  const reply = yield* generate([{ role: 'user', content: 'x' }]);
  return { answer: reply.text + sum };
`);
