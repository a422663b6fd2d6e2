import { tokensUsed, type ProposerSpec, type ProposerUsage } from '@whale/contracts';
import type { SessionEnd } from '../proposer.ts';
import type { Progress, Spent, Turn } from './progress.ts';

export type ClaudeSpec = Extract<ProposerSpec, { kind: 'claude' }>;

/** A reply may be asked for that is shorter than the spec's, but not shorter than this: a harness has to fit. */
const SHORTEST_REPLY = 2_048;
const MILLION = 1_000_000;

/** What a call may use at the most. */
export interface Allowance {
  maxTokens: number;
  usage: ProposerUsage;
  usd: number;
}

/** US dollars. */
export function priceOf({ input, output, cacheWrite, cacheRead }: ProposerUsage, prices: ClaudeSpec['prices']): number {
  const { cacheWrite: write = 1.25 * prices.input, cacheRead: read = 0.1 * prices.input } = prices;
  return (input * prices.input + output * prices.output + cacheWrite * write + cacheRead * read) / MILLION;
}

/**
 * The most that a call can cost with so many tokens of prompt: all of them at the dearest of the three prices that the
 * API may count them by, and a reply of full length.
 */
export function mostOf(promptTokens: number, maxTokens: number, prices: ClaudeSpec['prices']): Allowance {
  const none = { input: 0, output: maxTokens, cacheWrite: 0, cacheRead: 0 };
  const ways = (['input', 'cacheWrite', 'cacheRead'] as const).map((way) => {
    const usage = { ...none, [way]: promptTokens };
    return { maxTokens, usage, usd: priceOf(usage, prices) };
  });
  return ways.reduce((dearest, way) => (way.usd > dearest.usd ? way : dearest));
}

/**
 * What the next call may use, with a shorter reply where a full one does not fit what is left; or the limit that is
 * reached. `worked` is ms since the last entry of the journal.
 */
export function allow(
  { turns, spent }: Progress,
  worked: number,
  promptTokens: number,
  { limits, prices, maxTokens }: ClaudeSpec,
): Allowance | SessionEnd {
  if (turns.length >= limits.turns) {
    return stop('turns', limits.turns === 1 ? 'its one call is made' : `${limits.turns} calls are made`);
  }
  if (millisecondsLeft(spent.milliseconds + worked, limits) <= 0)
    return stop('seconds', `${limits.seconds} s are over`);
  const shortest = Math.min(SHORTEST_REPLY, maxTokens);
  const byTokens = limits.tokens - spent.tokens - promptTokens;
  if (byTokens < shortest) {
    return stop('tokens', `a call of ${promptTokens + shortest} tokens may exceed the limit of ${limits.tokens}`);
  }
  const prompt = mostOf(promptTokens, 0, prices).usd;
  const byUsd = prices.output === 0 ? Infinity : ((limits.usd - spent.usd - prompt) / prices.output) * MILLION;
  if (byUsd < shortest) {
    const least = mostOf(promptTokens, shortest, prices).usd;
    return stop('usd', `a call of up to $${least.toFixed(2)} may exceed the limit of $${limits.usd}`);
  }
  return mostOf(promptTokens, Math.floor(Math.min(maxTokens, byTokens, byUsd)), prices);
}

export function millisecondsLeft(worked: number, limits: ClaudeSpec['limits']): number {
  return limits.seconds * 1000 - worked;
}

/** Calls of this size that are sure to fit what is left. */
export function sureCalls(
  { turns, spent }: { turns: readonly Turn[]; spent: Spent },
  next: Allowance,
  spec: ClaudeSpec,
): number {
  const { limits } = spec;
  const byUsd = next.usd === 0 ? Infinity : (limits.usd - spent.usd) / next.usd;
  const byTokens = (limits.tokens - spent.tokens) / tokensUsed(next.usage);
  return Math.max(0, Math.floor(Math.min(limits.turns - turns.length, byUsd, byTokens)));
}

function stop(reason: SessionEnd['reason'], message: string): SessionEnd {
  return { reason, message };
}
