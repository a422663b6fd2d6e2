import { createHash } from 'node:crypto';
import type { AssistantTurn, Conversation } from '../brain.ts';
import { invalid } from './api-error.ts';
import type { ModelTraits } from './models.ts';
import { estimateTokens } from './prompt.ts';
import type { MessagesRequest } from './request.ts';
import { thinks, type ThinkingSeal } from './thinking.ts';

/** A content block of an answer with what is streamed of it: `body` is its text, its thinking, or its input as JSON. */
export type ReplyBlock =
  | { type: 'text'; body: string }
  | { type: 'thinking'; body: string; signature: string }
  | { type: 'tool_use'; body: string; id: string; name: string };

export interface Reply {
  blocks: readonly ReplyBlock[];
  stopReason: 'end_turn' | 'tool_use' | 'max_tokens' | 'pause_turn' | 'refusal';
  outputTokens: number;
  thinkingTokens: number;
}

/** The turn as an answer to the request. Throws ApiError 400 where it calls a tool that the request does not offer. */
export function replyTo(request: MessagesRequest, turn: AssistantTurn, traits: ModelTraits, seal: ThinkingSeal): Reply {
  const { thinking, text, calls = [] } = turn;
  const offered = new Set(request.tools?.map((tool) => tool.name));
  const stranger = calls.find((call) => !offered.has(call.name) || request.tool_choice?.type === 'none');
  if (stranger !== undefined) throw invalid(`the brain calls ${stranger.name}, which the request does not offer`);
  const identity = identityOf(request);
  const blocks: ReplyBlock[] = [
    ...(thinking !== undefined && thinks(request) ? [thought(request, thinking, traits, seal)] : []),
    ...(text !== undefined && text !== '' ? [{ type: 'text' as const, body: text }] : []),
    ...calls.map(({ name, input }, place): ReplyBlock => {
      return { type: 'tool_use', id: callId(identity, place), name, body: JSON.stringify(input) };
    }),
  ];
  const stopReason = turn.stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
  const thinkingTokens = thinks(request) ? estimateTokens(thinking ?? '') : 0;
  const said = blocks.filter((block) => block.type !== 'thinking');
  const outputTokens = Math.max(
    1,
    said.reduce((sum, block) => sum + estimateTokens(block.body), thinkingTokens),
  );
  return limitTokens({ blocks, stopReason, outputTokens, thinkingTokens }, request.max_tokens);
}

function thought(
  request: MessagesRequest,
  thinking: string,
  { showsThinking }: ModelTraits,
  seal: ThinkingSeal,
): ReplyBlock {
  const config = request.thinking;
  const display = config === undefined || config.type === 'disabled' ? undefined : config.display;
  const body = (display ?? (showsThinking ? 'summarized' : 'omitted')) === 'omitted' ? '' : thinking;
  return { type: 'thinking', body, signature: seal.sign(request.model, body) };
}

/** Ends the answer where its tokens are spent: in the middle of a text or of a tool's input. */
export function limitTokens(reply: Reply, most: number): Reply {
  if (reply.outputTokens <= most) return reply;
  let left = most - reply.thinkingTokens;
  const blocks: ReplyBlock[] = [];
  for (const block of reply.blocks) {
    if (block.type === 'thinking') blocks.push(block);
    else if (left > 0) {
      blocks.push({ ...block, body: firstTokens(block.body, left) });
      left -= estimateTokens(block.body);
    }
  }
  return { ...reply, blocks, stopReason: 'max_tokens', outputTokens: most };
}

function firstTokens(text: string, most: number): string {
  if (estimateTokens(text) <= most) return text;
  // A character that the cut goes through is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, most * 4), { stream: true });
}

/** What the answer is an answer to, whatever the cache breakpoints: the same conversation gives the same ids. */
function identityOf({ system, tools, messages }: Conversation): string {
  const json = JSON.stringify([system, tools, messages], (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  return createHash('sha256').update(json).digest('hex');
}

function callId(identity: string, place: number): string {
  return `toolu_${createHash('sha256').update(`${identity}/${place}`).digest('hex').slice(0, 24)}`;
}
