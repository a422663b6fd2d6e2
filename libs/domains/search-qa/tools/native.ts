import type { Message, Reply, RolloutEnd, Segment } from '@whale/contracts';
import type { Domain, DomainVerdict, Task } from '@whale/domain-api';
import ts from 'typescript';

/** A scripted model: what it says to these messages. */
export type Speak = (messages: readonly Message[]) => string;

type Effect = { type: 'generate'; messages: Message[] } | { type: 'tool'; name: string; args: Record<string, never> };
type Harness = (task: unknown, limits: unknown) => Generator<Effect, { answer: string | null }, unknown>;

export const CONTEXT_TOKENS = 144;
const REPLY_TOKENS = 10;

/** About what the tokenizer gives: 3.4 characters a token, two tokens a message for its role and end. */
export function approximateTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 3.4) + 2, 0);
}

/** The harness as a native generator function: trusted sources only, since nothing confines it. */
export function compileHarness(source: string): Harness {
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS };
  const { outputText } = ts.transpileModule(source, { compilerOptions: options });
  const exports: { default?: Harness } = {};
  const generate = function* (messages: Message[]) {
    return (yield { type: 'generate', messages }) as unknown;
  };
  const tool = function* (name: string, args: unknown) {
    return (yield { type: 'tool', name, args }) as unknown;
  };
  new Function('exports', 'generate', 'tool', outputText)(exports, generate, tool);
  if (exports.default === undefined) throw new Error('no default export');
  return exports.default;
}

/** One rollout of a scripted model, verified. A prompt that overflows the context gets an empty reply. */
export async function rollOut(domain: Domain, harness: Harness, task: Task, speak: Speak): Promise<DomainVerdict> {
  const trajectory: Segment[] = [];
  const tools = domain.tools(task);
  const run = harness(task.input, {});
  let end: RolloutEnd | undefined;
  let input: unknown = undefined;
  for (let effects = 0; end === undefined; effects++) {
    if (effects > 16) end = { kind: 'truncated', reason: 'effects' };
    const { done, value } = run.next(input);
    if (done === true) {
      end =
        value.answer === null ? { kind: 'truncated', reason: 'no_answer' } : { kind: 'answered', answer: value.answer };
    } else if (value.type === 'tool') {
      input = await tools.call(value.name, value.args);
    } else {
      const fits = approximateTokens(value.messages) <= CONTEXT_TOKENS - REPLY_TOKENS;
      const reply: Reply = fits ? { text: speak(value.messages), finish: 'stop' } : { text: '', finish: 'context' };
      for (const { role, content } of fits ? value.messages : []) {
        trajectory.push({ source: role === 'assistant' ? 'env' : role, text: content });
      }
      trajectory.push({ source: 'model', text: reply.text });
      input = reply;
    }
  }
  return domain.verify({ task, end, trajectory });
}
