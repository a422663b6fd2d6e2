import { isRetryable, WhaleError } from '@whale/kernel';
import { describe, expect, it } from 'vitest';
import type { AssistantTurn } from '../messages-api/brain.ts';
import { faultsAt, type Fault } from '../messages-api/faults.ts';
import { Host } from './support/host.ts';
import { claudeSpec, harness, proposalRequest, writing } from './support/request.ts';
import { claude, serve } from './support/serve.ts';
import { billed, counted, kinds } from './support/totals.ts';

const both: AssistantTurn = { text: 'Both at once.', calls: [writing(harness('two')), writing(harness('three'))] };
const status = (code: number, more: Partial<Fault> = {}): Fault => ({ kind: 'status', status: code, ...more }) as Fault;

/** The session of one call, and what became of its attempts. */
async function attempts(fault: Fault) {
  const api = await serve([both], faultsAt({ 1: fault }));
  const host = new Host();
  await host.run(claude(), proposalRequest(claudeSpec(api.url)));
  return {
    api,
    host,
    lost: host.entries.flatMap((one) => (one.kind === 'step' && one.step.kind === 'call-lost' ? [one.step] : [])),
  };
}

describe('tried again, and not counted, since the API had not begun', () => {
  it.each([429, 529])('%i', async (code) => {
    const { api, host, lost } = await attempts(status(code, { retryAfterMilliseconds: 2 }));
    expect(kinds(host.entries)).toBe('begun call-lost begun call tool');
    expect(lost).toMatchObject([{ turn: 1, usd: 0, usage: { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 } }]);
    expect(lost[0]?.reason).toMatch(new RegExp(`^${code} `, 'u'));
    expect(host.judged).toHaveLength(2);
    expect(counted(host.entries).usd).toBeCloseTo(billed(api.requests).usd, 12);
  });
});

describe('tried again, and counted at the most that it may have cost', () => {
  it.each<[string, Fault]>([
    ['a server error', status(500, { retryAfterMilliseconds: 2 })],
    ['a connection that breaks before the answer', { kind: 'cut', where: 'head' }],
    ['a page of a proxy', { kind: 'malformed', what: 'html' }],
  ])('%s', async (_, fault) => {
    const { host, lost } = await attempts(fault);
    expect(kinds(host.entries)).toBe('begun call-lost begun call tool');
    const [begun] = host.entries;
    expect(lost[0]).toMatchObject({ usd: begun?.kind === 'call-begun' ? begun.usd : 0, usage: { output: 16_000 } });
    expect(host.judged).toHaveLength(2);
  });

  it.each<[string, Fault]>([
    ['a connection that breaks in the answer', { kind: 'cut', where: 'block' }],
    ['a stream that ends too early', { kind: 'cut', where: 'end' }],
    ['an error in the stream', { kind: 'error-event' }],
    ['an event that is no JSON', { kind: 'malformed', what: 'json' }],
  ])('%s: the prompt as the API has counted it, the reply at full length', async (_, fault) => {
    const { api, host, lost } = await attempts(fault);
    const usage = api.requests[0]?.usage;
    expect(lost[0]?.usage).toEqual({
      input: usage?.input_tokens,
      cacheWrite: usage?.cache_creation_input_tokens,
      cacheRead: usage?.cache_read_input_tokens,
      output: 16_000,
    });
    expect(counted(host.entries).usd).toBeGreaterThanOrEqual(billed(api.requests).usd);
    expect(host.judged).toHaveLength(2);
  });
});

it('waits as long as the API asks', async () => {
  const { api } = await attempts(status(429, { retryAfterSeconds: 0.2 }));
  const [first = 0, second = 0] = api.requests.map(({ at }) => at);
  // A timer may be early by less than a millisecond.
  expect(second - first).toBeGreaterThan(199);
});

it('does not wait longer than the session has time: the host is to try again later', async () => {
  const api = await serve([both], faultsAt({ 1: status(429, { retryAfterSeconds: 3_600 }) }));
  const failure = new Host().run(claude(), proposalRequest(claudeSpec(api.url)));
  await expect(failure).rejects.toMatchObject({ code: 'PROPOSER_UNAVAILABLE', retryable: true });
  await expect(failure).rejects.toThrow(/no answer: 429 rate_limit_error/u);
});

it('gives up after some attempts, so that the host can try again later; the journal has them all', async () => {
  const api = await serve([both], () => status(529, { retryAfterMilliseconds: 1 }));
  const host = new Host();
  const error = await host.run(claude(), proposalRequest(claudeSpec(api.url))).catch((caught: unknown) => caught);
  expect(isRetryable(error)).toBe(true);
  expect(api.requests).toHaveLength(4);
  expect(kinds(host.entries)).toBe(Array(4).fill('begun call-lost').join(' '));
});

describe('not tried again: the message says what to do', () => {
  const failed = async (fault: Fault | undefined, key?: string, more: Parameters<typeof claudeSpec>[1] = {}) => {
    const api = await serve([both], faultsAt(fault === undefined ? {} : { 1: fault }));
    const host = new Host();
    const error = await host
      .run(claude(key), proposalRequest(claudeSpec(api.url, more)))
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(WhaleError);
    expect(isRetryable(error)).toBe(false);
    expect(api.requests.length).toBeLessThan(2);
    expect(counted(host.entries).usd).toBe(0);
    return error as WhaleError;
  };

  it('a key that the API refuses', async () => {
    const { code, message } = await failed(undefined, 'sk-ant-of-someone-else');
    expect(code).toBe('ENVIRONMENT');
    expect(message).toContain('ANTHROPIC_API_KEY');
    expect(message).not.toContain('sk-ant-of-someone-else');
  });

  it('no key', async () => {
    expect(await failed(undefined, ' ')).toMatchObject({ code: 'ENVIRONMENT', message: /needs ANTHROPIC_API_KEY/u });
  });

  it('a key without permission', async () => {
    expect(await failed(status(403))).toMatchObject({ code: 'ENVIRONMENT', message: /proposer\.model/u });
  });

  it('a model that is not there', async () => {
    const error = await failed(undefined, undefined, { model: 'claude-0' });
    expect(error).toMatchObject({
      code: 'INPUT',
      message: /^proposer\.model: the Messages API does not know claude-0/u,
    });
  });

  it('a way of thinking that the model does not have', async () => {
    const error = await failed(undefined, undefined, { model: 'claude-haiku-4-5', thinking: 'adaptive' });
    expect(error).toMatchObject({
      code: 'PROPOSER_REQUEST',
      message: /adaptive thinking is not supported.*proposer\.thinking/u,
    });
  });

  it('what the API says not to try again', async () => {
    expect(await failed(status(529, { shouldRetry: false }))).toMatchObject({ code: 'PROPOSER_REQUEST' });
  });
});

it('a server that is not there is tried again and costs nothing', async () => {
  const api = await serve([both]);
  await api.close();
  const host = new Host();
  const failure = host.run(claude(), proposalRequest(claudeSpec(api.url)));
  await expect(failure).rejects.toMatchObject({ code: 'PROPOSER_UNAVAILABLE', retryable: true });
  await expect(failure).rejects.toThrow(/Connection error: fetch failed: connect ECONNREFUSED [^ ]+$/u);
  expect(kinds(host.entries)).toBe(Array(4).fill('begun call-lost').join(' '));
  expect(counted(host.entries)).toEqual({ tokens: 0, usd: 0 });
});
