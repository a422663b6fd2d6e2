import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { faultsAt, faultsByChance, type Fault } from './faults.ts';
import { asking, clientOf, READ, serve } from './testing/client.ts';

const SAID = [{ text: 'Hello. '.repeat(200) }];
const statuses = (requests: readonly { status?: number }[]) => requests.map(({ status }) => status);

describe('the client tries again', () => {
  it.each([
    ['retry-after-ms', { retryAfterMilliseconds: 80 }],
    ['retry-after', { retryAfterSeconds: 0.08 }],
  ])('after a 429, no sooner than %s asks', async (_, after) => {
    const limit: Fault = { kind: 'status', status: 429, ...after };
    const { api, client } = await serve(SAID, { faults: faultsAt({ 1: limit, 2: limit }) });
    const message = await client.messages.stream(asking()).finalMessage();
    expect(message.stop_reason).toBe('end_turn');
    expect(statuses(api.requests)).toEqual([429, 429, 200]);
    expect(api.requests.map(({ retries }) => retries)).toEqual([0, 1, 2]);
    const [first = 0, second = 0, third = 0] = api.requests.map(({ at }) => at);
    // A timer may be early by less than a millisecond.
    expect(second - first).toBeGreaterThan(79);
    expect(third - second).toBeGreaterThan(79);
    expect(api.requests.map(({ usage }) => usage === undefined)).toEqual([true, true, false]);
  });

  it('after a 500, a 529, and a connection that breaks before the answer', async () => {
    const soon = { kind: 'status' as const, retryAfterMilliseconds: 5 };
    const faults = faultsAt({
      1: { ...soon, status: 500 },
      2: { ...soon, status: 529 },
      3: { kind: 'cut', where: 'head' },
    });
    const { api } = await serve(SAID, { faults });
    await clientOf(api, { maxRetries: 3 }).messages.create(asking());
    expect(statuses(api.requests)).toEqual([500, 529, 0, 200]);
  });

  it('not where the answer says so', async () => {
    const { api, client } = await serve(SAID, {
      faults: faultsAt({ 1: { kind: 'status', status: 529, shouldRetry: false } }),
    });
    await expect(client.messages.create(asking())).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
    expect(api.requests).toHaveLength(1);
  });

  it('until its tries are spent; the error has type and request id', async () => {
    const { api } = await serve(SAID, { faults: () => ({ kind: 'status', status: 500, retryAfterMilliseconds: 5 }) });
    const failure = clientOf(api, { maxRetries: 1 }).messages.create(asking());
    await expect(failure).rejects.toBeInstanceOf(Anthropic.InternalServerError);
    await expect(failure).rejects.toMatchObject({ status: 500, type: 'api_error', requestID: 'req_000002' });
  });
});

describe('a stream that has begun', () => {
  const stream = async (fault: Fault) => {
    const { api, client } = await serve(SAID, { faults: faultsAt({ 1: fault }) });
    const running = client.messages.stream(asking());
    const texts: string[] = [];
    running.on('text', (delta) => texts.push(delta));
    return { api, failure: running.finalMessage(), texts };
  };

  it.each<[string, Fault, RegExp]>([
    ['an error event', { kind: 'error-event' }, /overloaded_error/u],
    ['a connection that breaks', { kind: 'cut', where: 'block' }, /terminated/u],
    ['an end before message_stop', { kind: 'cut', where: 'end' }, /ended without producing a Message/u],
    ['an event that is no JSON', { kind: 'malformed', what: 'json' }, /JSON/u],
  ])('fails by %s, after part of the text, and is billed', async (_, fault, message) => {
    const { api, failure, texts } = await stream(fault);
    await expect(failure).rejects.toThrow(message);
    expect(texts.length).toBeGreaterThan(3);
    expect(SAID[0]?.text.startsWith(texts.join(''))).toBe(true);
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]?.usage?.output_tokens).toBeGreaterThan(100);
  });

  it('may be no stream at all', async () => {
    const { failure } = await stream({ kind: 'malformed', what: 'html' });
    await expect(failure).rejects.toThrow(/ended without/u);
  });

  it('may be slow, and silent but for pings', async () => {
    const { failure } = await stream({ kind: 'slow', silenceMilliseconds: 60, pings: 3, chunkMilliseconds: 1 });
    expect((await failure).content).toMatchObject(SAID);
  });

  it('may be silent until the client has enough', async () => {
    const { api, client } = await serve(SAID, {
      faults: () => ({ kind: 'slow', silenceMilliseconds: 1e6, pings: 1e5 }),
    });
    const stop = new AbortController();
    const running = client.messages.stream(asking(), { signal: stop.signal });
    running.on('connect', () => stop.abort());
    await expect(running.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    expect(api.requests).toHaveLength(1);
  });
});

describe('an answer without streaming', () => {
  it.each<[string, Fault, RegExp]>([
    ['breaks off', { kind: 'cut', where: 'block' }, /terminated|Connection error/u],
    ['is half a JSON text', { kind: 'malformed', what: 'json' }, /JSON/u],
    ['is an overload', { kind: 'error-event' }, /529/u],
  ])('%s', async (_, fault, message) => {
    const { api } = await serve(SAID, { faults: faultsAt({ 1: fault }) });
    await expect(clientOf(api, { maxRetries: 0 }).messages.create(asking())).rejects.toThrow(message);
  });
});

describe('what is said may be', () => {
  it('a tool input that ends in its middle', async () => {
    const calls = [
      { name: 'read_file', input: { path: 'first' } },
      { name: 'read_file', input: { path: 'x'.repeat(400) } },
    ];
    const { client } = await serve([{ calls }], { faults: faultsAt({ 1: { kind: 'max-tokens' } }) });
    const stream = client.messages.stream(asking({ tools: [READ] }));
    const heard: string[] = [];
    stream.on('inputJson', (delta) => heard.push(delta));
    const message = await stream.finalMessage();
    expect(message.stop_reason).toBe('max_tokens');
    // The client leaves out a text that has not ended.
    expect(message.content.map((block) => block.type === 'tool_use' && block.input)).toEqual([{ path: 'first' }, {}]);
    const whole = calls.map(({ input }) => JSON.stringify(input)).join('');
    expect(whole.startsWith(heard.join(''))).toBe(true);
    expect(heard.join('').length).toBeGreaterThan(whole.length / 3);
    expect(heard.join('').length).toBeLessThan((2 * whole.length) / 3);
  });

  it('a refusal', async () => {
    const { client } = await serve(SAID, { faults: faultsAt({ 1: { kind: 'refusal' } }) });
    const message = await client.messages.stream(asking()).finalMessage();
    expect(message).toMatchObject({ stop_reason: 'refusal', content: [], stop_details: { type: 'refusal' } });
  });
});

describe('faults by chance', () => {
  const plan = faultsByChance('seed', 0.3, [{ kind: 'refusal' }, { kind: 'max-tokens' }]);
  const drawn = Array.from({ length: 400 }, (_, n) => plan(n)?.kind);

  it('come about as often as told, of all kinds, and the same again', () => {
    const count = drawn.filter((kind) => kind !== undefined).length;
    expect(count).toBeGreaterThan(80);
    expect(count).toBeLessThan(160);
    expect(new Set(drawn)).toEqual(new Set([undefined, 'refusal', 'max-tokens']));
    expect(Array.from({ length: 400 }, (_, n) => plan(n)?.kind)).toEqual(drawn);
  });
});
