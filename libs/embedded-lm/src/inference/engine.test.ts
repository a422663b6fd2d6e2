import { rng } from '@whale/kernel';
import { describe, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../config.ts';
import { collate } from '../training/batches.ts';
import { GradientEngine } from '../training/gradient.ts';
import { initialWeights } from '../weights.ts';
import { InferenceEngine, type Row } from './engine.ts';

const { vocab, context } = DEFAULT_CONFIG;
const weights = initialWeights(DEFAULT_CONFIG, 'engine');
// Larger than at the start of training, so that attention and the feed-forward part matter.
weights.tensor('embed').forEach((value, i, all) => (all[i] = value * 20));
const engine = new InferenceEngine(DEFAULT_CONFIG, { slots: 8, maxRows: context, banks: 2 });
engine.load(0, weights);

const sequence = (seed: string, length: number) => {
  const random = rng(seed);
  return Array.from({ length }, () => random.int(600));
};
const rowsOf = (tokens: readonly number[], slot: number): Row[] =>
  tokens.map((token, position) => ({
    slot,
    position,
    token,
    before: tokens.slice(Math.max(0, position - DEFAULT_CONFIG.taps), position).reverse(),
  }));
const bits = (logits: Float32Array) => new Uint32Array(logits.slice().buffer);

/** Logits of every position, the whole sequence in one call. */
function whole(tokens: readonly number[], slot = 0): Uint32Array {
  return bits(engine.forward(0, rowsOf(tokens, slot), true));
}

describe('a row depends on its own sequence only (invariant 1)', () => {
  const tokens = sequence('a', 37);
  const expected = whole(tokens);

  test('token by token gives the same bits as all at once', () => {
    const rows = rowsOf(tokens, 3);
    for (const [i, row] of rows.entries()) {
      const logits = bits(engine.forward(0, [row], true));
      expect(logits).toEqual(expected.subarray(i * vocab, (i + 1) * vocab));
    }
  });

  test.each([1, 2, 3, 4, 5, 8, 13])('beside other sequences, at place %i of the batch', (place) => {
    const others = Array.from({ length: 3 }, (_, i) => sequence(`other ${i}`, 20));
    const rows = [
      ...rowsOf(others[0] as number[], 1).slice(0, place),
      ...rowsOf(tokens, 0),
      ...rowsOf(others[1] as number[], 2),
    ];
    const logits = bits(engine.forward(0, rows, true));
    expect(logits.subarray(place * vocab, (place + tokens.length) * vocab)).toEqual(expected);
  });

  test('on a copied prefix, in a slot where a longer sequence was', () => {
    whole(tokens, 0);
    whole(sequence('longer', 100), 5);
    engine.copyPrefix(0, 5, 30);
    const rest = rowsOf(tokens, 5).slice(30);
    const logits = bits(engine.forward(0, rest, true));
    expect(logits).toEqual(expected.subarray(30 * vocab));
  });

  test('whatever other weights are loaded beside', () => {
    engine.load(1, initialWeights(DEFAULT_CONFIG, 'other weights'));
    expect(whole(tokens)).toEqual(expected);
  });
});

test('agrees with the forward pass that is trained, to 1e-4 nats at every position', () => {
  const tokens = sequence('twin', context);
  const logits = engine.forward(0, rowsOf(tokens, 0), true).slice();
  const gradients = new GradientEngine(DEFAULT_CONFIG);
  for (const t of [1, 2, 50, 99, context - 1]) {
    const [batch] = collate([{ tokens, lossAt: [t] }], 1, DEFAULT_CONFIG);
    const row = [...logits.subarray((t - 1) * vocab, t * vocab)];
    const high = Math.max(...row);
    const total = row.reduce((sum, logit) => sum + Math.exp(logit - high), 0);
    const own = Math.log(total) + high - (row[tokens[t] as number] as number);
    expect(Math.abs(gradients.loss(weights, batch as NonNullable<typeof batch>) - own)).toBeLessThan(1e-4);
  }
});
