import { describe, expect, it } from 'vitest';
import type { AssistantTurn, Conversation, ToolCall } from '../brain.ts';
import { replaying, type Plan } from './replay.ts';

const read = (path: string): ToolCall => ({ name: 'read_file', input: { path, from_line: 1 } });

function* plan(): Plan {
  const [a, b] = yield { thinking: 'Two.', text: 'First', calls: [read('a'), read('b')] };
  const [c] = yield { text: `Then ${a?.text}, ${b?.text}`, calls: [read('c')] };
  return `Last ${c?.text}${c?.isError === true ? ', refused' : ''}`;
}
const brain = replaying(plan);

type Messages = Conversation['messages'];

/** What the user says to a turn: each call of it by its answer. */
function answered(messages: Messages, turn: AssistantTurn, answer: (call: ToolCall) => string | Error): Messages {
  const calls = (turn.calls ?? []).map((call, place) => ({ ...call, id: `${messages.length}-${place}` }));
  return [
    ...messages,
    { role: 'assistant', content: calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })) },
    {
      role: 'user',
      content: calls.map((call) => {
        const result = answer(call);
        const text = result instanceof Error ? result.message : result;
        const content = [text, '[Left: 3 calls.]'].map((one) => ({ type: 'text' as const, text: one }));
        return { type: 'tool_result', tool_use_id: call.id, content, is_error: result instanceof Error };
      }),
    },
  ];
}

const start: Messages = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
const say = (messages: Messages) => brain({ messages });
const contentOf = ({ input }: ToolCall) => `<${String(input['path'])}>`;

describe('a brain that replays its plan', () => {
  it('goes on with the answers that the conversation has', () => {
    const first = say(start);
    expect(first).toEqual({ thinking: 'Two.', text: 'First', calls: [read('a'), read('b')] });
    const second = answered(start, first, contentOf);
    expect(say(second)).toEqual({ text: 'Then <a>, <b>', calls: [read('c')] });
    expect(say(answered(second, say(second), contentOf))).toEqual({ text: 'Last <c>' });
    expect(say(answered(second, say(second), () => new Error('no')))).toEqual({ text: 'Last no, refused' });
  });

  it('B1 says the same to the same conversation, and again after its last words', () => {
    const second = answered(start, say(start), contentOf);
    const third = answered(second, say(second), contentOf);
    for (const messages of [start, second, third]) expect(say(structuredClone(messages))).toEqual(say(messages));
    const nudged: Messages = [
      ...third,
      { role: 'assistant', content: [{ type: 'text', text: 'Last <c>' }] },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
    ];
    expect(say(nudged)).toEqual({ text: 'Last <c>' });
  });

  it('B2 makes a call that was cut again, alone, whatever the order of its input', () => {
    const first = say(start);
    const cut: AssistantTurn = {
      calls: [
        { name: 'read_file', input: { from_line: 1, path: 'a' } },
        { name: 'read_file', input: {} },
      ],
    };
    const second = answered(start, cut, ({ input }) => (input['path'] === undefined ? new Error('cut') : '<a>'));
    expect(say(second)).toEqual({ calls: [read('b')] });
    expect(first.calls).toHaveLength(2);
    expect(say(answered(second, say(second), contentOf)).text).toBe('Then <a>, <b>');
  });
});
