import type { TokenSample } from '@whale/contracts';
import { rng, WhaleError } from '@whale/kernel';
import type { LmConfig } from '../config.ts';
import type { Batch } from './gradient.ts';

/** A sample with the positions of I(τ) spelt out. */
export interface Example {
  tokens: readonly number[];
  /** Positions t in ascending order whose token is predicted from those before it. */
  lossAt: readonly number[];
}

/** Sequences in one call of the compiled gradient. */
const SEQUENCES = 16;
const FEW_SEQUENCES = 4;
/** Lengths and numbers of loss positions are rounded up to multiples of these, so that few shapes are compiled. */
const LENGTH_STEP = 24;
const PICKED_STEP = 16;

/**
 * Checks a sample against the model. Throws WhaleError LM_SAMPLE, naming the sample, when it is longer than the
 * context, when a token is outside the vocabulary, when spans overlap, leave the sample or begin at position 0 (nothing
 * stands before it), or when no position carries loss. Nothing is cut or padded silently.
 */
export function toExample(sample: TokenSample, config: LmConfig, name: string): Example {
  const { tokens, modelSpans } = sample;
  const refuse = (why: string): never => {
    throw new WhaleError('LM_SAMPLE', `${name} cannot be trained on: ${why}`);
  };
  if (tokens.length > config.context) refuse(`${tokens.length} tokens, the context has ${config.context}`);
  const strange = tokens.find((token) => !Number.isInteger(token) || token < 0 || token >= config.vocab);
  if (strange !== undefined) refuse(`token ${strange} is not in the vocabulary of ${config.vocab}`);
  const lossAt: number[] = [];
  for (const [start, length] of [...modelSpans].sort((a, b) => a[0] - b[0])) {
    if (start < 1) refuse('a span begins at position 0');
    if (start <= (lossAt.at(-1) ?? 0)) refuse('its spans overlap');
    if (start + length > tokens.length) refuse(`span [${start}, ${length}] leaves its ${tokens.length} tokens`);
    for (let t = start; t < start + length; t++) lossAt.push(t);
  }
  if (lossAt.length === 0) refuse('the model generated none of it');
  return { tokens, lossAt };
}

/**
 * Splits examples into gradient batches of at most `batchTokens` tokens (at least one example each), in an order drawn
 * from `seed`.
 */
export function planBatches(examples: readonly Example[], batchTokens: number, seed: string): Example[][] {
  const batches: Example[][] = [];
  let [current, tokens]: [Example[], number] = [[], 0];
  for (const example of rng(seed).shuffle(examples)) {
    if (current.length > 0 && tokens + example.tokens.length > batchTokens) {
      batches.push(current);
      [current, tokens] = [[], 0];
    }
    current.push(example);
    tokens += example.tokens.length;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

/**
 * Parts of a gradient batch with few shapes: sorted by length, in groups, each padded to its longest. Every loss
 * position gets the same `weight`. Padding has weight 0 and stands after all that is real, where nothing looks at it.
 */
export function collate(examples: readonly Example[], weight: number, config: LmConfig): Batch[] {
  const sorted = [...examples].sort((a, b) => b.tokens.length - a.tokens.length || b.lossAt.length - a.lossAt.length);
  const parts: Batch[] = [];
  for (let at = 0; at < sorted.length;) {
    const sequences = sorted.length - at <= 2 * FEW_SEQUENCES ? FEW_SEQUENCES : SEQUENCES;
    parts.push(pad(sorted.slice(at, at + sequences), sequences, weight, config));
    at += sequences;
  }
  return parts;
}

function pad(examples: readonly Example[], sequences: number, weight: number, config: LmConfig): Batch {
  const longest = Math.max(...examples.map(({ tokens }) => tokens.length));
  const length = Math.min(config.context, Math.ceil(longest / LENGTH_STEP) * LENGTH_STEP);
  const most = Math.max(...examples.map(({ lossAt }) => lossAt.length));
  const picked = Math.ceil(most / PICKED_STEP) * PICKED_STEP;
  const batch: Batch = {
    sequences,
    length,
    picked,
    tokens: new Int32Array(sequences * length),
    positions: new Int32Array(sequences * picked),
    targets: new Int32Array(sequences * picked),
    weights: new Float32Array(sequences * picked),
  };
  for (const [row, { tokens, lossAt }] of examples.entries()) {
    batch.tokens.set(tokens, row * length);
    for (const [i, t] of lossAt.entries()) {
      batch.positions[row * picked + i] = t - 1;
      batch.targets[row * picked + i] = tokens[t] as number;
      batch.weights[row * picked + i] = weight;
    }
  }
  return batch;
}
