import { callOf, ending, openingOf, usageOf, type Answer } from './message.ts';
import type { ReplyBlock } from './reply.ts';

export interface StreamEvent {
  type: string;
  [key: string]: unknown;
}

/** Characters of one delta, in turn. */
const PIECES = [3, 40, 1, 90, 17];

/** The answer as the API streams it. */
export function eventsOf(answer: Answer): StreamEvent[] {
  const { reply } = answer;
  const { output_tokens_details, input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
    usageOf(answer);
  const usage = {
    input_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens,
    output_tokens_details,
    server_tool_use: null,
  };
  return [
    { type: 'message_start', message: openingOf(answer) },
    { type: 'ping' },
    ...reply.blocks.flatMap(blockEvents),
    { type: 'message_delta', delta: { ...ending(reply), container: null }, usage },
    { type: 'message_stop' },
  ];
}

export function encodeEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function blockEvents(block: ReplyBlock, index: number): StreamEvent[] {
  const delta = (of: object): StreamEvent => ({ type: 'content_block_delta', index, delta: of });
  const pieces = piecesOf(block.body);
  return [
    { type: 'content_block_start', index, content_block: opening(block) },
    ...pieces.map((piece) => {
      if (block.type === 'text') return delta({ type: 'text_delta', text: piece });
      if (block.type === 'thinking') return delta({ type: 'thinking_delta', thinking: piece });
      return delta({ type: 'input_json_delta', partial_json: piece });
    }),
    ...(block.type === 'thinking' ? [delta({ type: 'signature_delta', signature: block.signature })] : []),
    { type: 'content_block_stop', index },
  ];
}

function opening(block: ReplyBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '', citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return callOf(block);
  }
}

function piecesOf(text: string): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length;) {
    const length = PIECES[pieces.length % PIECES.length] ?? 1;
    pieces.push(characters.slice(at, at + length).join(''));
    at += length;
  }
  return pieces;
}
