import { describe, expect, it } from 'vitest';
import { oddChunks } from './protocol/chunks.ts';
import { asking, clientOf, MODEL, READ, results, serve } from './testing/client.ts';

const ODD = 'Größe 𝒳 — „ü“ 漢字\n\ndata: {"type":"ping"}\r\nevent: error';

describe('an answer comes through the real client as it was said', () => {
  it.each([true, false])('text and several calls of tools; streamed: %s', async (stream) => {
    const calls = [
      { name: 'read_file', input: { path: ODD, from_line: 1 } },
      { name: 'read_file', input: {} },
    ];
    const { api, client } = await serve([{ text: ODD, calls }]);
    const params = asking({ tools: [READ] });
    const message = stream ? await client.messages.stream(params).finalMessage() : await client.messages.create(params);
    expect(message).toMatchObject({
      role: 'assistant',
      model: MODEL,
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: ODD },
        { type: 'tool_use', name: 'read_file', input: calls[0]?.input },
        { type: 'tool_use', name: 'read_file', input: {} },
      ],
      usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    });
    const spoken = [ODD, ...calls.map(({ input }) => JSON.stringify(input))];
    const tokens = spoken.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0);
    expect(message.usage.output_tokens).toBe(tokens);
    expect(message.usage.input_tokens).toBeGreaterThan(10);
    expect(api.requests).toMatchObject([{ number: 1, status: 200, stopReason: 'tool_use', retries: 0 }]);
    expect(api.requests[0]?.usage).toMatchObject({
      input_tokens: message.usage.input_tokens,
      output_tokens: message.usage.output_tokens,
    });
  });

  it('in deltas, with a ping between', async () => {
    const { client } = await serve([{ text: ODD }]);
    const stream = client.messages.stream(asking());
    const texts: string[] = [];
    stream.on('text', (delta) => texts.push(delta));
    await stream.done();
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.join('')).toBe(ODD);
  });

  it('and goes on after the results; the same conversation gives the same turn and the same ids', async () => {
    const { api, client } = await serve([{ calls: [{ name: 'read_file', input: { path: 'a' } }] }, { text: 'Done.' }]);
    const params = asking({ tools: [READ] });
    const first = await client.messages.stream(params).finalMessage();
    const again = await client.messages.stream({ ...params, cache_control: { type: 'ephemeral' } }).finalMessage();
    expect(again.content).toEqual(first.content);
    const answered = [...params.messages, { role: 'assistant' as const, content: first.content }, results(first)];
    const second = await client.messages.stream({ ...params, messages: answered }).finalMessage();
    expect(second).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'Done.' }] });
    expect(api.requests.map(({ body }) => (body as { messages: unknown[] }).messages.length)).toEqual([1, 1, 3]);
  });

  it.each(['pause_turn', 'refusal'] as const)('with the stop reason %s', async (stop) => {
    const { client } = await serve([{ text: 'So far', stop }]);
    const message = await client.messages.stream(asking()).finalMessage();
    expect(message.stop_reason).toBe(stop);
    expect(message.stop_details?.type).toBe(stop === 'refusal' ? 'refusal' : undefined);
  });

  it('up to max_tokens', async () => {
    const { client } = await serve([{ text: 'x'.repeat(400) }]);
    const message = await client.messages.stream(asking({ max_tokens: 10 })).finalMessage();
    expect(message).toMatchObject({
      stop_reason: 'max_tokens',
      content: [{ text: 'x'.repeat(40) }],
      usage: { output_tokens: 10 },
    });
  });

  it('or not at all where the brain has no answer', async () => {
    const { api, client } = await serve([{ calls: [{ name: 'unknown', input: {} }] }]);
    await expect(client.messages.create(asking())).rejects.toThrow(/the brain calls unknown/u);
    await expect(
      clientOf(api, { maxRetries: 0 }).messages.create(
        asking({ messages: ['a', 'b', 'c'].map((content, i) => ({ role: i === 1 ? 'assistant' : 'user', content })) }),
      ),
    ).rejects.toThrow(/the script has 1 turns/u);
  });
});

describe('chunks', () => {
  it('are the bytes, in order, and cut characters in two', () => {
    const bytes = Buffer.from(ODD.repeat(40));
    const chunks = oddChunks(bytes);
    expect(Buffer.concat(chunks)).toEqual(bytes);
    expect(chunks.filter((chunk) => ((chunk[0] ?? 0) & 0xc0) === 0x80).length).toBeGreaterThan(100);
  });
});
