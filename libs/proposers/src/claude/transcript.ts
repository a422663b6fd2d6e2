import type Anthropic from '@anthropic-ai/sdk';
import type { CallParams } from './api.ts';
import { returnable, type Block } from './blocks.ts';
import type { ClaudeSpec } from './limits.ts';
import { isCutShort, toolUses, type Turn } from './progress.ts';
import { standing, validOf } from './standing.ts';

interface Message {
  role: 'user' | 'assistant';
  content: Anthropic.ContentBlockParam[];
}

/** What the conversation is made of, besides what is in the journal. */
export interface Frame {
  spec: ClaudeSpec;
  system: string;
  /** The first message of the user. */
  brief: string;
  tools: readonly Anthropic.Tool[];
  /** Valid candidates wanted. */
  wanted: number;
}

/** Tokens that the API adds to a prompt of its own, e.g. to explain tools; generous. */
const OVERHEAD_TOKENS = 1_000;
/** The same for one more message, and the line about what is left. */
const MESSAGE_TOKENS = 500;
/** Least of a budget for thinking, and least that is left for what is said. */
const LEAST_THINKING = 1_024;

const BREAKPOINT = { cache_control: { type: 'ephemeral' } } as const;

/** The next call: a function of the frame and of the answered turns. */
export function callParams(frame: Frame, turns: readonly Turn[], maxTokens: number): CallParams {
  const { spec, system, tools } = frame;
  return {
    model: spec.model,
    max_tokens: maxTokens,
    thinking: thinkingOf(spec.thinking, maxTokens),
    tools: tools.map((tool, place) => (place === tools.length - 1 ? { ...tool, ...BREAKPOINT } : tool)),
    system: [{ type: 'text', text: system, ...BREAKPOINT }],
    messages: withBreakpoints(conversation(frame, turns)),
  };
}

/**
 * No token is shorter than a byte, so this is an upper bound: what the API has counted up to the last reply, and the
 * bytes of what has come since.
 */
export function mostPromptTokens(frame: Frame, turns: readonly Turn[]): number {
  const last = turns.at(-1);
  if (last === undefined) return bytesOf([frame.system, frame.tools, frame.brief]) + OVERHEAD_TOKENS;
  const { results, context } = last;
  return context + bytesOf(results.map(({ text }) => text)) + 64 * results.length + MESSAGE_TOKENS;
}

function conversation(frame: Frame, turns: readonly Turn[]): Message[] {
  const messages: Message[] = [];
  say(messages, 'user', [{ type: 'text', text: frame.brief }]);
  for (const [place, turn] of turns.entries()) {
    say(messages, 'assistant', returnable(turn.blocks));
    say(messages, 'user', answerTo(turn, turns.slice(0, place + 1), frame));
  }
  return messages;
}

/** Where nothing may be sent back of a reply, two messages of the user meet: they are one to the API. */
function say(messages: Message[], role: Message['role'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return;
  const content = blocks as unknown as Anthropic.ContentBlockParam[];
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content: [...content] });
}

/** Results of all tools that were called, the line about what is left inside the last: text after results ends turns. */
function answerTo(turn: Turn, turns: readonly Turn[], frame: Frame): Block[] {
  const line = standing(turns, mostPromptTokens(frame, turns), frame.wanted, frame.spec);
  const uses = toolUses(turn);
  if (uses.length === 0) {
    return turn.stopReason === 'pause_turn' ? [] : [{ type: 'text', text: `${nudge(turn, turns, frame)}\n${line}` }];
  }
  return uses.map(({ id }, place) => {
    const { text, error } = turn.results[place] ?? { text: 'not run', error: 'not run' };
    // The API takes no text without a word.
    const result = text.trim() === '' ? '(nothing)' : text;
    const texts = place === uses.length - 1 ? [result, line] : [result];
    return {
      type: 'tool_result',
      tool_use_id: id,
      content: texts.map((one) => ({ type: 'text', text: one })),
      ...(error === null ? {} : { is_error: true }),
    };
  });
}

function nudge({ stopReason }: Turn, turns: readonly Turn[], { wanted }: Frame): string {
  if (isCutShort(stopReason)) {
    return 'Your reply reached its limit of tokens before it called a tool. Take smaller steps: one tool at a time.';
  }
  return (
    `${validOf(turns)} of ${wanted} candidates are valid. Go on with the tools. ` +
    'If nothing is left that is worth a measurement, say why in one sentence and call no tool.'
  );
}

/** The moving breakpoints: the last message of the user is written to the cache, the one before it is found there. */
function withBreakpoints(messages: readonly Message[]): Message[] {
  const marked = new Set(messages.filter(({ role }) => role === 'user').slice(-2));
  return messages.map((message) => {
    if (!marked.has(message)) return message;
    const content = message.content.map((block, place) =>
      place === message.content.length - 1 ? ({ ...block, ...BREAKPOINT } as Anthropic.ContentBlockParam) : block,
    );
    return { ...message, content };
  });
}

function thinkingOf(thinking: ClaudeSpec['thinking'], maxTokens: number): Anthropic.ThinkingConfigParam {
  if (thinking === 'off') return { type: 'disabled' };
  if (thinking === 'adaptive') return { type: 'adaptive' };
  // What is thought counts among the tokens of the reply, and something has to be said too.
  const budget = Math.min(thinking.budgetTokens, maxTokens - LEAST_THINKING);
  return { type: 'enabled', budget_tokens: Math.max(LEAST_THINKING, budget) };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
