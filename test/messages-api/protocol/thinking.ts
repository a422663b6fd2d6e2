import { createHmac } from 'node:crypto';
import { invalid } from './api-error.ts';
import type { ModelTraits } from './models.ts';
import type { Block, MessagesRequest } from './request.ts';
import { isToolResult, isToolUse } from './tool-pairs.ts';

/** Signs thinking, so that a block that comes back can be told from one that was changed or made up. */
export class ThinkingSeal {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  sign(model: string, thinking: string): string {
    return createHmac('sha256', this.#secret).update(`${model}\n${thinking}`).digest('base64');
  }

  /** Signatures hold in earlier turns as well as in the present tool loop. */
  check({ model, messages }: MessagesRequest): void {
    for (const [place, { content }] of messages.entries()) {
      for (const [index, block] of content.entries()) {
        if (block.type !== 'thinking' || block.signature === this.sign(model, block.thinking)) continue;
        throw invalid(`messages.${place}.content.${index}: Invalid \`signature\` in \`thinking\` block`);
      }
    }
  }
}

export function thinks({ thinking }: MessagesRequest): boolean {
  return thinking !== undefined && thinking.type !== 'disabled';
}

/** What may stand beside thinking, and whether the model thinks in this way. */
export function checkThinkingConfig(request: MessagesRequest, traits: ModelTraits): void {
  const { thinking, max_tokens, tool_choice, temperature, top_k, top_p } = request;
  if (thinking === undefined || thinking.type === 'disabled') return;
  if (!traits.thinking.includes(thinking.type)) {
    throw invalid(
      thinking.type === 'enabled'
        ? '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        : 'adaptive thinking is not supported on this model',
    );
  }
  if (thinking.type === 'enabled' && thinking.budget_tokens >= max_tokens) {
    throw invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (tool_choice?.type === 'any' || tool_choice?.type === 'tool') {
    throw invalid('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (temperature !== undefined && temperature !== 1) {
    throw invalid('`temperature` may only be set to 1 when thinking is enabled.');
  }
  if (top_k !== undefined) throw invalid('`top_k` must be unset when thinking is enabled.');
  if (top_p !== undefined && top_p < 0.95) {
    throw invalid('`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.');
  }
}

/**
 * In a tool loop that is still going on, the assistant's turns come back with the thinking that they began with.
 * `thought` tells of a call's id whether thinking stood before it; undefined: another server made the call.
 */
export function checkThinkingKept(request: MessagesRequest, thought: (toolUseId: string) => boolean | undefined): void {
  if (!thinks(request)) return;
  const { messages, thinking } = request;
  const begins = messages.findLastIndex(({ role, content }) => role === 'user' && !content.some(isToolResult));
  const loop = messages.slice(begins + 1);
  const opening = loop.findIndex(({ role }) => role === 'assistant');
  for (const [index, { role, content }] of loop.entries()) {
    const call = content.find(isToolUse);
    if (role !== 'assistant' || call === undefined) continue;
    // With a budget the API demands it of the loop's first turn; where the model decides, only what it wrote is owed.
    const owed = thought(call.id) ?? (thinking?.type === 'enabled' && index === opening);
    if (owed && content[0]?.type !== 'thinking') throw lost(begins + 1 + index, content[0]);
  }
}

function lost(place: number, found: Block | undefined) {
  return invalid(
    `messages.${place}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found?.type}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block ' +
      '(preceeding the lastmost set of `tool_use` and `tool_result` blocks).',
  );
}
