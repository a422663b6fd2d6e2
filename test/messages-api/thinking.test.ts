import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { asking, clientOf, READ, results, serve } from './testing/client.ts';

const THOUGHT = 'The file — „größer“ — comes first.';
const TURNS = [
  { thinking: THOUGHT, text: 'I read.', calls: [{ name: 'read_file', input: { path: 'a' } }] },
  { thinking: 'That is all.', text: 'Done.' },
];
const budget: Anthropic.ThinkingConfigParam = { type: 'enabled', budget_tokens: 1024 };
const params = asking({ tools: [READ], thinking: budget });

const after = (message: Anthropic.Message, content = message.content) => ({
  ...params,
  messages: [...params.messages, { role: 'assistant' as const, content }, results(message)],
});

describe('thinking', () => {
  it('comes before what is said, signed, and goes on after the results', async () => {
    const { client } = await serve(TURNS);
    const stream = client.messages.stream(params);
    const heard: string[] = [];
    stream.on('thinking', (delta) => heard.push(delta));
    const first = await stream.finalMessage();
    expect(heard.join('')).toBe(THOUGHT);
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: THOUGHT, signature: expect.stringMatching(/^[\w+/]{43}=$/u) },
      { type: 'text' },
      { type: 'tool_use' },
    ]);
    expect(first.usage.output_tokens_details?.thinking_tokens).toBe(Math.ceil(Buffer.byteLength(THOUGHT) / 4));
    const second = await client.messages.stream(after(first)).finalMessage();
    expect(second.content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Done.' }]);
    expect((await client.messages.create(params)).content).toEqual(first.content);
  });

  it('is taken back by another server with the same secret only', async () => {
    const one = await serve(TURNS);
    const first = await one.client.messages.create(params);
    const same = await serve(TURNS);
    expect((await same.client.messages.create(after(first))).stop_reason).toBe('end_turn');
    const other = await serve(TURNS, { secret: 'another' });
    await expect(other.client.messages.create(after(first))).rejects.toThrow(
      /Invalid `signature` in `thinking` block/u,
    );
  });

  it.each<[string, (content: Anthropic.ContentBlock[]) => Anthropic.ContentBlock[], RegExp]>([
    [
      'changed',
      ([thought, ...rest]) => [{ ...thought, thinking: 'Else.' } as never, ...rest],
      /messages\.1\.content\.0: Invalid `signature`/u,
    ],
    ['left out', ([, ...rest]) => rest, /messages\.1\.content\.0\.type: Expected `thinking`.* but found `text`/u],
  ])('may not be %s in a tool loop', async (_, change, message) => {
    const { client } = await serve(TURNS);
    const first = await client.messages.create(params);
    await expect(client.messages.create(after(first, change(first.content)))).rejects.toThrow(message);
  });

  it('may not be left out where the model decides either, but may be missing where it was', async () => {
    const adaptive = { ...params, thinking: { type: 'adaptive' as const } };
    const { client } = await serve(TURNS);
    const first = await client.messages.create(adaptive);
    const without = { ...after(first, first.content.slice(1)), thinking: adaptive.thinking };
    await expect(client.messages.create(without)).rejects.toThrow(/Expected `thinking`/u);
    const silent = await serve([{ calls: TURNS[0]?.calls ?? [] }, { text: 'Done.' }]);
    const call = await silent.client.messages.create(adaptive);
    const next = { ...after(call), thinking: adaptive.thinking };
    expect((await silent.client.messages.create(next)).stop_reason).toBe('end_turn');
  });

  it('may be left out once the loop is over', async () => {
    const { client } = await serve(() => ({ thinking: 'Hm.', text: 'Yes.' }));
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'read_file', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'done' }] },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ];
    expect((await client.messages.create({ ...params, messages })).stop_reason).toBe('end_turn');
    const open = { ...params, messages: messages.slice(0, 3) };
    await expect(client.messages.create(open)).rejects.toThrow(/but found `tool_use`/u);
  });

  it('is not shown by the newest models unless they are asked, but is billed', async () => {
    const { client } = await serve(TURNS);
    const newest = { ...params, model: 'claude-opus-5', thinking: { type: 'adaptive' as const } };
    const hidden = await client.messages.create(newest);
    expect(hidden.content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    expect(hidden.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(5);
    const next = { ...after(hidden), model: newest.model, thinking: newest.thinking };
    expect((await client.messages.create(next)).stop_reason).toBe('end_turn');
    const shown = await client.messages.create({ ...newest, thinking: { type: 'adaptive', display: 'summarized' } });
    expect(shown.content[0]).toMatchObject({ thinking: THOUGHT });
  });

  it.each<[string, object, RegExp]>([
    [
      'a budget beyond max_tokens',
      { max_tokens: 1024 },
      /`max_tokens` must be greater than `thinking\.budget_tokens`/u,
    ],
    ['a small budget', { thinking: { type: 'enabled', budget_tokens: 10 } }, /thinking\.budget_tokens: /u],
    ['a forced tool', { tool_choice: { type: 'any' } }, /tool_choice forces tool use/u],
    ['a temperature', { temperature: 0.5 }, /`temperature` may only be set to 1/u],
    ['top_k', { top_k: 5 }, /`top_k` must be unset/u],
    ['a low top_p', { top_p: 0.5 }, /`top_p` must be greater/u],
    ['a budget where the model decides', { model: 'claude-opus-5' }, /thinking\.type\.enabled.* is not supported/u],
    [
      'deciding where the model cannot',
      { model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } },
      /adaptive thinking is not supported on this model/u,
    ],
  ])('does not go with %s', async (_, wrong, message) => {
    const { api } = await serve(TURNS);
    await expect(clientOf(api).messages.create({ ...params, ...wrong })).rejects.toThrow(message);
  });

  it('is off unless the request asks for it', async () => {
    const { client } = await serve(TURNS);
    const { thinking: _, ...plain } = params;
    const message = await client.messages.create(plain);
    expect(message.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect(message.usage.output_tokens_details?.thinking_tokens).toBe(0);
  });
});
