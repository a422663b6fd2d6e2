import { WhaleError } from '@whale/kernel';
import { expect, it } from 'vitest';
import type { Brain } from '../messages-api/brain.ts';
import { faultsAt, faultsByChance } from '../messages-api/faults.ts';
import { Host } from './support/host.ts';
import { claudeSpec, harness, proposalRequest, writing } from './support/request.ts';
import { bodies, claude, serve } from './support/serve.ts';
import { billed, counted, kinds } from './support/totals.ts';

/** Writes one candidate, then reads for ever. */
const reader: Brain = ({ messages }) => {
  const said = messages.filter(({ role }) => role === 'assistant').length;
  if (said === 0) return { calls: [writing(harness('two'))] };
  return { text: 'More. '.repeat(100), calls: [{ name: 'read_file', input: { path: 'large.txt' } }] };
};
const LARGE = { 'large.txt': 'word '.repeat(4_000) };

async function limited(more: Parameters<typeof claudeSpec>[1], faults?: Parameters<typeof serve>[1]) {
  const api = await serve(reader, faults);
  const host = new Host(LARGE);
  const request = proposalRequest(claudeSpec(api.url, more));
  const end = await host.run(claude(), request);
  return { api, host, end, request };
}

it('stops at the calls that it may make, and what is written counts', async () => {
  const { api, host, end } = await limited({ limits: { turns: 3 } });
  expect(end).toEqual({ reason: 'turns', message: '3 calls are made' });
  expect(api.requests).toHaveLength(3);
  expect(host.judged).toHaveLength(1);
  const texts = bodies(api).map((body) => JSON.stringify(body.messages.at(-1)));
  expect(texts[2]).toContain('Your next call may be the last: write what you have.');
});

it.each(['usd', 'tokens'] as const)(
  'asks for shorter replies, then stops, before it could exceed its %s',
  async (limit) => {
    const limits = limit === 'usd' ? { usd: 0.7 } : { tokens: 90_000 };
    const { api, host, end } = await limited({ limits: { ...limits, turns: 100 } });
    expect(end?.reason).toBe(limit);
    expect(end?.message).toMatch(limit === 'usd' ? /limit of \$0\.7/u : /limit of 90000/u);
    expect(host.judged).toHaveLength(1);
    const asked = bodies(api).map(({ max_tokens }) => max_tokens);
    expect(asked[0]).toBe(16_000);
    expect(asked.at(-1)).toBeLessThan(16_000);
    expect(asked.at(-1)).toBeGreaterThanOrEqual(2_048);
    expect(counted(host.entries)[limit]).toBeLessThanOrEqual(limit === 'usd' ? 0.7 : 90_000);
    // It stops when it must, not long before.
    const [most] = host.entries.toReversed().filter((entry) => entry.kind === 'call-begun');
    expect(
      counted(host.entries).tokens + (most?.kind === 'call-begun' ? 3 * most.usage.cacheWrite : 0),
    ).toBeGreaterThan(limit === 'usd' ? 0 : 90_000);
  },
);

it('C3 no limit is exceeded whatever goes wrong, and all that is billed is counted', async () => {
  const faults = [
    { kind: 'status', status: 500, retryAfterMilliseconds: 1 },
    { kind: 'status', status: 529, retryAfterMilliseconds: 1 },
    { kind: 'error-event' },
    { kind: 'malformed', what: 'json' },
    { kind: 'cut', where: 'block' },
    { kind: 'cut', where: 'end' },
    { kind: 'cut', where: 'head' },
    { kind: 'max-tokens' },
  ] as const;
  const reasons = new Set<string>();
  for (let seed = 0; seed < 12; seed++) {
    const api = await serve(reader, faultsByChance(`seed ${seed}`, 0.4, faults));
    const host = new Host(LARGE);
    const request = proposalRequest(claudeSpec(api.url, { limits: { usd: 1.5, tokens: 200_000, turns: 12 } }));
    const end = await host.run(claude(), request).catch((error: unknown) => {
      if (error instanceof WhaleError) return { reason: error.code };
      throw error;
    });
    reasons.add(end?.reason ?? 'none');
    const [mine, theirs] = [counted(host.entries), billed(api.requests)];
    expect(mine.tokens).toBeLessThanOrEqual(200_000);
    expect(mine.usd).toBeLessThanOrEqual(1.5);
    expect(mine.tokens).toBeGreaterThanOrEqual(theirs.tokens);
    expect(mine.usd).toBeGreaterThanOrEqual(theirs.usd - 1e-9);
    expect(host.judged.length).toBe(1);
  }
  expect(reasons.size).toBeGreaterThan(1);
});

it('stops when the time is up, also in a call; the call is counted', async () => {
  const slow = faultsAt({ 2: { kind: 'slow', silenceMilliseconds: 1e6, pings: 1e5 } });
  const { host, end } = await limited({ limits: { seconds: 2 } }, slow);
  expect(end).toEqual({ reason: 'seconds', message: '2 s are over' });
  expect(kinds(host.entries)).toBe('begun call tool begun call-lost');
  expect(host.entries.at(-1)).toMatchObject({ step: { reason: 'the time was up', usage: { output: 16_000 } } });
  expect(host.judged).toHaveLength(1);
});

it('counts the time of earlier processes, and not the time between them', async () => {
  const { api, host, request } = await limited({ limits: { turns: 2, seconds: 60 } });
  const worked = (milliseconds: number): void => {
    const entries = host.entries.map((entry) =>
      entry.kind === 'step' ? { ...entry, step: { ...entry.step, milliseconds } } : entry,
    );
    host.journal.splice(0, Infinity, ...entries.map((entry) => JSON.stringify(entry)));
  };
  // Two calls, two tools.
  worked(1_000);
  expect((await host.run(claude(), request))?.reason).toBe('turns');
  worked(15_000);
  const more = proposalRequest(claudeSpec(api.url, { limits: { turns: 9, seconds: 60 } }));
  expect(await host.run(claude(), more)).toEqual({ reason: 'seconds', message: '60 s are over' });
  expect(api.requests).toHaveLength(2);
});
