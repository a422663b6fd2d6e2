import { invalid } from './api-error.ts';
import type { Block, MessagesRequest, Turn } from './request.ts';

/**
 * Roles and contents of the turns. The API itself would merge two turns of one role; a tool loop that sends them has
 * lost a turn between, so here they are refused.
 */
export function checkTurns({ messages }: MessagesRequest, { prefill }: { prefill: boolean }): void {
  if (messages[0]?.role !== 'user') throw invalid('messages: first message must use the "user" role');
  const last = messages.length - 1;
  for (const [place, turn] of messages.entries()) {
    if (turn.role === messages[place - 1]?.role) {
      throw invalid(`messages.${place}: roles must alternate between "user" and "assistant"`);
    }
    checkContent(turn, place, turn.role === 'assistant' && place === last);
  }
  if (messages[last]?.role === 'assistant') checkPrefill(messages[last], prefill);
}

const ALLOWED: Readonly<Record<Turn['role'], ReadonlySet<Block['type']>>> = {
  user: new Set(['text', 'tool_result']),
  assistant: new Set(['text', 'thinking', 'tool_use']),
};

function checkContent({ role, content }: Turn, place: number, mayBeEmpty: boolean): void {
  if (content.length === 0 && !mayBeEmpty) {
    throw invalid(
      `messages.${place}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  for (const [index, block] of content.entries()) {
    const at = `messages.${place}.content.${index}`;
    if (!ALLOWED[role].has(block.type))
      throw invalid(`${at}: \`${block.type}\` blocks cannot be in \`${role}\` messages`);
    checkTexts(block);
  }
}

function checkTexts(block: Block): void {
  if (block.type === 'tool_result' && typeof block.content === 'object') block.content.forEach(checkTexts);
  if (block.type !== 'text') return;
  if (block.text === '') throw invalid('messages: text content blocks must be non-empty');
  if (block.text.trim() === '') throw invalid('messages: text content blocks must contain non-whitespace text');
}

function checkPrefill({ content }: Turn, prefill: boolean): void {
  if (!prefill) {
    throw invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  const last = content.at(-1);
  if (last?.type === 'text' && /\s$/u.test(last.text)) {
    throw invalid('messages: final assistant content cannot end with trailing whitespace');
  }
}
