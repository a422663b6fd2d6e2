import type { MessagesRequest } from './protocol/request.ts';

export type Conversation = Pick<MessagesRequest, 'system' | 'tools' | 'messages'>;

export interface ToolCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
}

/** What the model says next: thinking, then text, then calls of tools that the conversation offers. */
export interface AssistantTurn {
  /** Left out of the answer unless the request asks for thinking. */
  thinking?: string;
  text?: string;
  calls?: readonly ToolCall[];
  /** `tool_use` where there are calls, else `end_turn`, unless said otherwise. */
  stop?: 'end_turn' | 'pause_turn' | 'refusal';
}

/** What decides the answers. The same conversation must give the same turn, so that a call can be made again. */
export type Brain = (conversation: Conversation) => AssistantTurn;

/** Says the turns in order: the first to a conversation without an assistant's turn, and so on. Throws past the last. */
export function scripted(turns: readonly AssistantTurn[]): Brain {
  return ({ messages }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length;
    const turn = turns[said];
    if (turn === undefined) throw new Error(`the script has ${turns.length} turns; the conversation asks for one more`);
    return turn;
  };
}
