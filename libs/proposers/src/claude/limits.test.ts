import { ProposerSpec, type ProposerUsage } from '@whale/contracts';
import { expect, it } from 'vitest';
import { allow, mostOf, priceOf, sureCalls, type Allowance, type ClaudeSpec } from './limits.ts';
import { Progress, type Spent } from './progress.ts';

const prices = { input: 4, output: 20 };

function spec(limits: Partial<ClaudeSpec['limits']> = {}, more: Partial<ClaudeSpec> = {}): ClaudeSpec {
  return ProposerSpec.parse({ kind: 'claude', model: 'm', maxTokens: 10_000, prices, limits, ...more }) as ClaudeSpec;
}

function after(spent: Partial<Spent>): Progress {
  const progress = new Progress([]);
  progress.spent = { tokens: 0, usd: 0, milliseconds: 0, ...spent };
  return progress;
}

const usage = (more: Partial<ProposerUsage>): ProposerUsage => ({
  input: 0,
  output: 0,
  cacheWrite: 0,
  cacheRead: 0,
  ...more,
});
const million = 1_000_000;

it('prices the cache as the API does, unless the spec says how', () => {
  expect(priceOf(usage({ input: million }), prices)).toBe(4);
  expect(priceOf(usage({ output: million }), prices)).toBe(20);
  expect(priceOf(usage({ cacheWrite: million }), prices)).toBe(5);
  expect(priceOf(usage({ cacheRead: million }), prices)).toBe(0.4);
  expect(priceOf(usage({ cacheWrite: million, cacheRead: million }), { ...prices, cacheWrite: 1, cacheRead: 2 })).toBe(
    3,
  );
});

it('takes a prompt at the dearest way in which it may be counted', () => {
  expect(mostOf(1_000, 10, prices).usage).toEqual(usage({ cacheWrite: 1_000, output: 10 }));
  expect(mostOf(1_000, 10, { ...prices, cacheWrite: 1 }).usage).toEqual(usage({ input: 1_000, output: 10 }));
  expect(mostOf(1_000, 10, { ...prices, cacheWrite: 1, cacheRead: 9 }).usage).toEqual(
    usage({ cacheRead: 1_000, output: 10 }),
  );
});

it.each<[string, Partial<Spent>, Partial<ClaudeSpec['limits']>, number]>([
  ['all where there is room', {}, {}, 10_000],
  ['what the tokens leave', { tokens: 3_000 }, { tokens: 9_000 }, 5_000],
  ['what the money leaves', { usd: 0.3 }, { usd: 0.4 }, 4_750],
  ['the shortest that is worth it', { tokens: 3_000 }, { tokens: 6_048 }, 2_048],
])('allows %s', (_, spent, limits, maxTokens) => {
  const allowance = allow(after(spent), 0, 1_000, spec(limits)) as Allowance;
  expect(allowance.maxTokens).toBe(maxTokens);
  expect(allowance.usage).toEqual(usage({ cacheWrite: 1_000, output: maxTokens }));
  expect(allowance.usd).toBeCloseTo(0.005 + maxTokens * 0.00002, 12);
});

it.each<[string, Partial<Spent>, Partial<ClaudeSpec['limits']>, number]>([
  ['tokens', { tokens: 3_000 }, { tokens: 6_047 }, 0],
  ['usd', { usd: 0.36 }, { usd: 0.4 }, 0],
  ['usd', { usd: 9 }, { usd: 5 }, 0],
  ['seconds', { milliseconds: 5_000 }, { seconds: 5 }, 0],
  ['seconds', { milliseconds: 4_000 }, { seconds: 5 }, 1_000],
])('stops by %s where not even the shortest fits', (reason, spent, limits, worked) => {
  expect(allow(after(spent), worked, 1_000, spec(limits))).toMatchObject({ reason });
});

it('a model that costs nothing is bounded by its tokens', () => {
  const free = spec({}, { prices: { input: 0, output: 0 } });
  expect(allow(after({}), 0, 1_000, free)).toMatchObject({ maxTokens: 10_000, usd: 0 });
  expect(sureCalls({ turns: [], spent: after({}).spent }, mostOf(1_000, 9_000, free.prices), free)).toBe(40);
});

it('counts the calls that are sure to fit', () => {
  const next = mostOf(10_000, 10_000, prices);
  expect(sureCalls({ turns: [], spent: after({ usd: 4.5 }).spent }, next, spec())).toBe(2);
  expect(sureCalls({ turns: [], spent: after({ tokens: 1_970_000 }).spent }, next, spec())).toBe(1);
  expect(sureCalls({ turns: [], spent: after({ usd: 7 }).spent }, next, spec())).toBe(0);
});
