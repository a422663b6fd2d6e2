import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { asking, READ, serve } from './testing/client.ts';

const mark = { cache_control: { type: 'ephemeral' as const } };
const system = (text: string): Anthropic.TextBlockParam[] => [{ type: 'text', text, ...mark }];
const RULES = 'Rules of the house. '.repeat(300);

/** Tokens written to the cache, read from it, and neither. */
function usage({ usage: { cache_creation_input_tokens, cache_read_input_tokens, input_tokens } }: Anthropic.Message) {
  return { written: cache_creation_input_tokens, read: cache_read_input_tokens, fresh: input_tokens };
}

describe('prompt caching', () => {
  const conversation = (turns: number): Anthropic.MessageParam[] =>
    Array.from({ length: 2 * turns - 1 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: `Turn ${i}. ${'word '.repeat(80)}`, ...(i === 2 * turns - 2 ? mark : {}) }],
    }));

  it('writes a prefix once and reads it after; what is behind the last breakpoint is neither', async () => {
    const { client } = await serve(() => ({ text: 'Yes.' }));
    const params = asking({ system: system(RULES), tools: [READ] });
    const first = usage(await client.messages.create(params));
    expect(first.written).toBeGreaterThan(1400);
    expect(first).toMatchObject({ read: 0, fresh: expect.any(Number) });
    expect(first.fresh).toBeLessThan(20);
    const second = usage(await client.messages.create(params));
    expect(second).toEqual({ written: 0, read: first.written, fresh: first.fresh });
  });

  it('reads in a growing conversation what the turn before has written', async () => {
    const { client } = await serve(() => ({ text: 'Yes.' }));
    const one = usage(await client.messages.create(asking({ system: system(RULES), messages: conversation(1) })));
    const two = usage(await client.messages.create(asking({ system: system(RULES), messages: conversation(2) })));
    const total = ({ written, read, fresh }: ReturnType<typeof usage>) => (written ?? 0) + (read ?? 0) + fresh;
    expect(one).toMatchObject({ read: 0, fresh: 0 });
    expect(two).toMatchObject({ read: total(one), fresh: 0 });
    expect(two.written).toBeGreaterThan(150);
  });

  it('is lost from the first thing on that differs', async () => {
    const { client } = await serve(() => ({ text: 'Yes.' }));
    const params = asking({ tools: [READ], system: system(RULES), messages: conversation(1) });
    const first = usage(await client.messages.create(params));
    const told = usage(await client.messages.create({ ...params, messages: [{ role: 'user', content: 'Else.' }] }));
    expect(told.read).toBeGreaterThan(1400);
    expect(told.read).toBeLessThan(first.written ?? 0);
    const thinking = usage(await client.messages.create({ ...params, thinking: { type: 'adaptive' } }));
    expect(thinking.read).toBe(told.read);
    const tools = [{ ...READ, description: 'Reads.' }];
    expect(usage(await client.messages.create({ ...params, tools })).read).toBe(0);
    const other = usage(await client.messages.create({ ...params, model: 'claude-opus-4-6' }));
    expect(other.read).toBe(0);
  });

  it('needs a prefix that is long enough', async () => {
    const { client } = await serve(() => ({ text: 'Yes.' }));
    const params = asking({ system: system('Short rules.') });
    await client.messages.create(params);
    expect(usage(await client.messages.create(params))).toMatchObject({ written: 0, read: 0 });
  });

  it('looks no further back than twenty blocks', async () => {
    const { client } = await serve(() => ({ text: 'Yes.' }), { leastCachedTokens: 1 });
    const ask = async (turns: number) =>
      usage(await client.messages.create(asking({ messages: conversation(turns) }))).read;
    expect(await ask(1)).toBe(0);
    expect(await ask(12)).toBe(0);
    expect(await ask(11)).toBeGreaterThan(90);
  });

  it('writes the answer of a stream that breaks as well', async () => {
    const { client } = await serve(() => ({ text: 'Yes.' }), {
      faults: (n) => (n === 1 ? { kind: 'cut', where: 'block' } : undefined),
    });
    const params = asking({ system: system(RULES) });
    await expect(client.messages.stream(params).finalMessage()).rejects.toThrow();
    expect(usage(await client.messages.stream(params).finalMessage()).read).toBeGreaterThan(1400);
  });
});
