import type { InputUsage } from './prompt-cache.ts';
import type { Reply, ReplyBlock } from './reply.ts';

/** An answer with all that surrounds it. */
export interface Answer {
  id: string;
  model: string;
  reply: Reply;
  input: InputUsage;
}

/** The answer as the API gives it without streaming. */
export function messageOf(answer: Answer) {
  const { reply } = answer;
  return { ...envelope(answer), content: reply.blocks.map(contentOf), ...ending(reply), usage: usageOf(answer) };
}

/** The message before anything is said, as `message_start` has it. */
export function openingOf(answer: Answer) {
  const nothing = { stop_reason: null, stop_sequence: null, stop_details: null };
  return { ...envelope(answer), content: [], ...nothing, usage: { ...usageOf(answer), output_tokens: 1 } };
}

export function ending({ stopReason }: Reply) {
  const stop_details = stopReason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null;
  return { stop_reason: stopReason, stop_sequence: null, stop_details };
}

export function usageOf({ reply, input }: Answer) {
  return {
    input_tokens: input.fresh,
    cache_creation_input_tokens: input.written['5m'] + input.written['1h'],
    cache_read_input_tokens: input.read,
    cache_creation: { ephemeral_5m_input_tokens: input.written['5m'], ephemeral_1h_input_tokens: input.written['1h'] },
    output_tokens: reply.outputTokens,
    output_tokens_details: { thinking_tokens: reply.thinkingTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: null,
    speed: 'standard',
  };
}
export type ReportedUsage = ReturnType<typeof usageOf>;

function envelope({ id, model }: Answer) {
  return { id, type: 'message', role: 'assistant', model, container: null, diagnostics: null };
}

function contentOf(block: ReplyBlock) {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.body, citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: block.body, signature: block.signature };
    case 'tool_use':
      return { ...callOf(block), input: parsedInput(block.body) };
  }
}

export function callOf({ id, name }: Extract<ReplyBlock, { type: 'tool_use' }>) {
  return { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
}

/** An input that was cut off by `max_tokens` can't be told without streaming. */
function parsedInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
