import { createHash } from 'node:crypto';
import { breakpointsOf, type PromptBlock } from './prompt.ts';

/** Input tokens of one request; the three do not overlap. */
export interface InputUsage {
  fresh: number;
  read: number;
  written: { '5m': number; '1h': number };
}

/** The cache is looked for at a breakpoint and at this many blocks before it. */
const LOOKBACK = 20;

/**
 * Prompt caching as the API does it: what is written is the prefix up to each breakpoint, what is read is the longest
 * prefix that was written before. Nothing expires here.
 */
export class PromptCache {
  readonly #written = new Set<string>();
  /** A shorter prefix is neither read nor written. */
  readonly #leastTokens: number;

  constructor(leastTokens: number) {
    this.#leastTokens = leastTokens;
  }

  /** Counts the prompt of one request and keeps its prefixes. */
  use(model: string, prompt: readonly PromptBlock[]): InputUsage {
    const prefixes = prefixesOf(model, prompt);
    const breakpoints = breakpointsOf(prompt).filter((place) => this.#isLong(prefixes[place]));
    const hit = this.#longestHit(prefixes, breakpoints);
    const written = { '5m': 0, '1h': 0 };
    let counted = hit;
    for (const place of breakpoints) {
      const { key, tokens } = prefixes[place] ?? { key: '', tokens: 0 };
      this.#written.add(key);
      written[prompt[place]?.breakpoint ?? '5m'] += Math.max(0, tokens - counted);
      counted = Math.max(counted, tokens);
    }
    return { fresh: (prefixes.at(-1)?.tokens ?? 0) - counted, read: hit, written };
  }

  #longestHit(prefixes: readonly Prefix[], breakpoints: readonly number[]): number {
    const looked = breakpoints.flatMap((place) => prefixes.slice(Math.max(0, place - LOOKBACK), place + 1));
    return Math.max(0, ...looked.filter((prefix) => this.#written.has(prefix.key)).map((prefix) => prefix.tokens));
  }

  #isLong(prefix: Prefix | undefined): boolean {
    return prefix !== undefined && prefix.tokens >= this.#leastTokens;
  }
}

interface Prefix {
  key: string;
  tokens: number;
}

/** For each place, the prompt up to and with the block that stands there. */
function prefixesOf(model: string, prompt: readonly PromptBlock[]): Prefix[] {
  let key = model;
  let tokens = 0;
  return prompt.map((block) => {
    key = createHash('sha256').update(key).update(block.text).digest('hex');
    tokens += block.tokens;
    return { key, tokens };
  });
}
