import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { TEST_KEY } from './server.ts';
import { asking, clientOf, READ, serve } from './testing/client.ts';

type Params = Anthropic.MessageCreateParamsNonStreaming;
type Blocks = Anthropic.ContentBlockParam[];

const brain = () => ({ text: 'Yes.' });
const use = (id: string, name = 'read_file') => ({ type: 'tool_use' as const, id, name, input: {} });
const result = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'done' });
const text = (said: string) => ({ type: 'text' as const, text: said });
/** What older models take and the client has no types for. */
const SAMPLING: object = { temperature: 0.5, top_k: 5 };
const mark = { cache_control: { type: 'ephemeral' as const } };

/** A user's turn, an assistant's, and so on. */
const talk = (...contents: (string | Blocks)[]): Partial<Params> => ({
  tools: [READ],
  messages: contents.map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content })),
});

describe('a request that the API would refuse is refused with 400 and where it is wrong', () => {
  const WRONG: [string, Partial<Params> | Record<string, unknown>, RegExp][] = [
    ['no max_tokens', { max_tokens: undefined }, /max_tokens: Field required/u],
    ['max_tokens beyond the model', { max_tokens: 1e6 }, /max_tokens: 1000000 > 128000/u],
    ['a field that there is not', { max_token: 3 }, /max_token: Extra inputs are not permitted/u],
    ['no messages', { messages: [] }, /messages: /u],
    ['a block of no known type', talk([{ type: 'audio' } as never]), /messages\.0\.content\.0\.type: /u],
    ['a block without its text', talk([{ type: 'text' } as never]), /messages\.0\.content\.0\.text: Field required/u],
    ['an empty text', talk([text('')]), /must be non-empty/u],
    ['a blank text in a result', talk('a', [use('x')], [{ ...result('x'), content: [text(' ')] }]), /non-whitespace/u],
    ['an empty turn', talk([]), /messages\.0: all messages must have non-empty content/u],
    [
      'an assistant first',
      { messages: [{ role: 'assistant', content: 'a' }] },
      /first message must use the "user" role/u,
    ],
    [
      'two users in a row',
      { messages: ['a', 'b'].map((content) => ({ role: 'user', content })) },
      /messages\.1: roles must alternate/u,
    ],
    ['a system role', { messages: [{ role: 'system', content: 'a' }] }, /messages\.0\.role: /u],
    ['a prefill where the model takes none', talk('a', 'b'), /does not support assistant message prefill/u],
    ['a call without an answer', talk('a', [use('x')], 'b'), /messages\.1: `tool_use` ids were found without .* x\./u],
    [
      'one answer for two calls',
      talk('a', [use('x'), use('y')], [result('x')]),
      /`tool_use` ids were found without .* immediately after: y\./u,
    ],
    [
      'a text before the answers',
      talk('a', [use('x')], [text('well'), result('x')]),
      /`tool_use` ids were found without/u,
    ],
    ['an answer to no call', talk([result('x')]), /messages\.0\.content\.0: unexpected `tool_use_id`/u],
    [
      'two answers to one call',
      talk('a', [use('x')], [result('x'), result('x')]),
      /messages\.2\.content\.1: unexpected `tool_use_id`/u,
    ],
    [
      'an error without a word',
      talk('a', [use('x')], [{ ...result('x'), content: '', is_error: true }]),
      /content cannot be empty if `is_error` is true/u,
    ],
    [
      'an id that is used twice',
      talk('a', [use('x')], [result('x')], [use('x')], [result('x')]),
      /`tool_use` ids must be unique: x/u,
    ],
    ['a call of no tool', talk('a', [use('x', 'rm')], [result('x')]), /`tools` has no tool named rm/u],
    ['calls and no tools', { ...talk('a', [use('x')], [result('x')]), tools: undefined }, /must define tools/u],
    ['a call by the user', talk([use('x')]), /`tool_use` blocks cannot be in `user` messages/u],
    ['a tool twice', { tools: [READ, READ] }, /Tool names must be unique/u],
    ['a choice of no tool', { tools: [READ], tool_choice: { type: 'tool', name: 'rm' } }, /Tool 'rm' not found/u],
    [
      'five breakpoints',
      { system: Array.from({ length: 4 }, () => ({ ...text('a'), ...mark })), ...talk([{ ...text('b'), ...mark }]) },
      /A maximum of 4 blocks with cache_control may be provided\. Found 5\./u,
    ],
    [
      'a temperature that the model does not take',
      { model: 'claude-opus-5', temperature: 0.5 },
      /`temperature` may not/u,
    ],
    [
      'a prompt that is too long',
      { model: 'claude-haiku-4-5', ...talk('x'.repeat(900_000)) },
      /prompt is too long: \d+ tokens > 200000 maximum/u,
    ],
  ];

  it.each(WRONG)('%s', async (_, wrong, message) => {
    const { client } = await serve(brain);
    const refused = client.messages.stream(asking(wrong as Partial<Params>)).finalMessage();
    await expect(refused).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(refused).rejects.toMatchObject({
      apiMessage: expect.stringMatching(message),
      type: 'invalid_request_error',
    });
  });

  it('and one that is right is not', async () => {
    const { client } = await serve(brain);
    const system = [text('a'), { ...text('b'), ...mark }];
    const tools = talk('a', [text('I read.'), use('x'), use('y')], [result('y'), result('x'), text('Hurry.')]);
    const message = await client.messages.create(asking({ system, ...tools, ...SAMPLING, stop_sequences: ['#'] }));
    expect(message.stop_reason).toBe('end_turn');
    const prefill = talk('a', 'b');
    expect((await client.messages.create(asking({ ...prefill, model: 'claude-haiku-4-5' }))).stop_reason).toBe(
      'end_turn',
    );
  });
});

describe('who is not known, and what is not there', () => {
  it('has no model of that name', async () => {
    const { client } = await serve(brain);
    const refused = client.messages.create(asking({ model: 'claude-0' }));
    await expect(refused).rejects.toMatchObject({
      status: 404,
      type: 'not_found_error',
      apiMessage: 'model: claude-0',
    });
  });

  it('has no other key', async () => {
    const { api } = await serve(brain);
    const refused = clientOf(api, { apiKey: 'sk-ant-other' }).messages.create(asking());
    await expect(refused).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
    expect(JSON.stringify(api.requests)).not.toContain('sk-ant-other');
  });

  it('takes no more bytes than told', async () => {
    const { api } = await serve(brain, { mostBytes: 1000 });
    const refused = clientOf(api).messages.create(asking(talk('x'.repeat(2000))));
    await expect(refused).rejects.toMatchObject({ status: 413, type: 'request_too_large' });
  });

  const JSON_BODY = { 'content-type': 'application/json' };
  const KNOWN = { ...JSON_BODY, 'x-api-key': TEST_KEY, 'anthropic-version': '2023-06-01' };
  it.each([
    ['no key', '/v1/messages', JSON_BODY, '{}', 401],
    ['no version', '/v1/messages', { ...JSON_BODY, 'x-api-key': TEST_KEY }, '{}', 400],
    ['another version', '/v1/messages', { ...KNOWN, 'anthropic-version': '1' }, '{}', 400],
    ['no JSON', '/v1/messages', KNOWN, '{"model"', 400],
    ['no object', '/v1/messages', KNOWN, '[]', 400],
    ['another type', '/v1/messages', { ...KNOWN, 'content-type': 'text/plain' }, '{}', 400],
    ['another path', '/v1/complete', KNOWN, '{}', 404],
  ])('%s', async (_, path, headers: Record<string, string>, body, status) => {
    const { api } = await serve(brain);
    const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(response.headers.get('request-id')).toBe('req_000001');
    expect(await response.json()).toMatchObject({ type: 'error', error: { message: expect.any(String) } });
    expect(api.requests).toMatchObject([{ number: 1, status }]);
  });
});
