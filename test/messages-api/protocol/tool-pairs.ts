import { invalid } from './api-error.ts';
import type { Block, MessagesRequest, Turn } from './request.ts';

export type ToolUseBlock = Extract<Block, { type: 'tool_use' }>;
export type ToolResultBlock = Extract<Block, { type: 'tool_result' }>;

export const isToolUse = (block: Block): block is ToolUseBlock => block.type === 'tool_use';
export const isToolResult = (block: Block): block is ToolResultBlock => block.type === 'tool_result';

/** Each call is answered in the next user message, all of them, before any text; each answer has its call. */
export function checkToolPairs({ messages, tools }: MessagesRequest): void {
  const known = new Set(tools?.map((tool) => tool.name));
  const used = new Set<string>();
  for (const [place, turn] of messages.entries()) {
    for (const call of turn.content.filter(isToolUse)) {
      if (!known.has(call.name)) throw invalid(`messages.${place}: \`tools\` has no tool named ${call.name}`);
      if (used.has(call.id)) throw invalid(`messages.${place}: \`tool_use\` ids must be unique: ${call.id}`);
      used.add(call.id);
    }
    checkAnswered(messages, place);
    checkAsked(messages, place);
  }
}

function checkAnswered(messages: readonly Turn[], place: number): void {
  const calls = messages[place]?.content.filter(isToolUse) ?? [];
  const next = messages[place + 1]?.content ?? [];
  // Only the results at the head count: what stands behind a text is no answer.
  const behind = next.findIndex((block) => !isToolResult(block));
  const answered = new Set(
    (behind === -1 ? next : next.slice(0, behind)).filter(isToolResult).map((block) => block.tool_use_id),
  );
  const missing = calls.filter((call) => !answered.has(call.id)).map((call) => call.id);
  if (missing.length === 0) return;
  throw invalid(
    `messages.${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

function checkAsked(messages: readonly Turn[], place: number): void {
  const asked = new Set(messages[place - 1]?.content.filter(isToolUse).map((call) => call.id));
  for (const [index, block] of messages[place]?.content.entries() ?? []) {
    if (!isToolResult(block)) continue;
    const at = `messages.${place}.content.${index}`;
    if (!asked.delete(block.tool_use_id)) {
      throw invalid(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (block.is_error === true && (block.content === undefined || block.content.length === 0)) {
      throw invalid(`${at}: content cannot be empty if \`is_error\` is true`);
    }
  }
}
