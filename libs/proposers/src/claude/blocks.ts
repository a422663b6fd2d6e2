import type { JsonValue } from '@whale/kernel';
import { z } from 'zod';

/** A content block as the API sends it: what is not looked at here is kept and sent back as it came. */
export type Block = { type: string; [key: string]: JsonValue };

/** A call of a tool by the model. */
export interface ToolUse extends Block {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonValue;
}

export const Blocks = z.array(z.looseObject({ type: z.string() })).transform((blocks) => blocks as Block[]);

export function isToolUse(block: Block): block is ToolUse {
  return block.type === 'tool_use' && typeof block['id'] === 'string' && typeof block['name'] === 'string';
}

/** The text of a reply, without what it has thought. */
export function textOf(blocks: readonly Block[]): string {
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
    .trim();
}

/**
 * What of a reply may be sent back: thinking unmodified, but not one that was cut before it was signed, nor one that
 * ends the message, nor text without a word; the API refuses these.
 */
export function returnable(blocks: readonly Block[]): Block[] {
  const kept = blocks.filter(({ type, text, signature }) => {
    if (type === 'text') return typeof text === 'string' && text.trim() !== '';
    if (type === 'thinking') return typeof signature === 'string' && signature !== '';
    return type !== 'refusal';
  });
  while (kept.at(-1)?.type.endsWith('thinking') === true) kept.pop();
  return kept;
}
