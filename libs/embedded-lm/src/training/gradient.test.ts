import { rng } from '@whale/kernel';
import { describe, expect, test } from 'vitest';
import { tensorShapes } from '../config.ts';
import { TINY } from '../testing.ts';
import { initialWeights, Weights } from '../weights.ts';
import { collate, type Example } from './batches.ts';
import { GradientEngine, type Batch } from './gradient.ts';

const engine = new GradientEngine(TINY);
const random = rng('gradient');
const example = (length: number, lossAt: number[]): Example => ({
  tokens: Array.from({ length }, () => random.int(TINY.vocab)),
  lossAt,
});
const one = (examples: Example[], weight: number) => collate(examples, weight, TINY)[0] as Batch;

const weights = initialWeights(TINY, 'gradient');
weights.tensor('embed').forEach((value, i, all) => (all[i] = value * 10));

describe('gradient against finite differences', () => {
  const batch = one([example(20, [3, 4, 11, 19]), example(9, [1, 8]), example(13, [12])], 1 / 7);
  const { gradient, loss } = engine.compute(weights, batch);

  test('the value is the loss', () => expect(loss).toBeCloseTo(engine.loss(weights, batch), 5));

  test.each(tensorShapes(TINY).map(({ name }) => name))('along a random direction of %s', (name) => {
    const direction = new Weights(TINY);
    direction.tensor(name).forEach((_, i, all) => (all[i] = random.float() * 2 - 1));
    const norm = Math.sqrt(direction.data.reduce((sum, value) => sum + value * value, 0));
    const step = 0.02;
    const moved = (sign: number) =>
      new Weights(
        TINY,
        weights.data.map((value, i) => value + (sign * step * (direction.data[i] as number)) / norm),
      );
    const difference = (engine.loss(moved(1), batch) - engine.loss(moved(-1), batch)) / (2 * step);
    const slope = gradient.reduce((sum, value, i) => sum + (value * (direction.data[i] as number)) / norm, 0);
    expect(Math.abs(slope)).toBeGreaterThan(1e-6);
    expect(Math.abs(difference - slope)).toBeLessThan(2e-4 + 0.02 * Math.abs(slope));
  });
});

describe('the mask: only I(τ) counts', () => {
  const tokens = example(16, []).tokens;
  const batch = one([{ tokens, lossAt: [10, 11] }], 1);
  const loss = (changed: readonly number[]) => engine.loss(weights, one([{ tokens: changed, lossAt: [10, 11] }], 1));
  const with_ = (position: number) => tokens.map((token, i) => (i === position ? (token + 1) % TINY.vocab : token));

  test('tokens after the last position with loss change nothing', () => {
    for (const position of [12, 15]) expect(loss(with_(position))).toBe(loss(tokens));
  });

  test('a masked token is a condition, not a target: with the same condition its target does not matter', () => {
    // Target of a position that is not in I(τ): set in the batch itself, where only `weights` keeps it out.
    const changed: Batch = {
      ...batch,
      targets: batch.targets.map((target, i) => (i < 2 ? target : (target + 7) % 200)),
    };
    expect(engine.loss(weights, changed)).toBe(engine.loss(weights, batch));
    expect(engine.compute(weights, changed).gradient).toEqual(engine.compute(weights, batch).gradient);
  });

  test('a token of I(τ) matters as target', () => {
    expect(loss(with_(11))).not.toBe(loss(tokens));
  });

  test('padding matters nothing: the same alone and beside longer samples', () => {
    const other = example(24, [23]);
    const beside = engine.loss(weights, one([{ tokens, lossAt: [10, 11] }, other], 1));
    expect(beside - engine.loss(weights, one([other], 1))).toBeCloseTo(loss(tokens), 4);
  });
});

describe('loss by hand', () => {
  test('all weights 0: every token costs ln(vocabulary)', () => {
    const batch = one([example(10, [2, 3, 4]), example(7, [6])], 1 / 4);
    expect(engine.loss(new Weights(TINY), batch)).toBeCloseTo(Math.log(TINY.vocab), 5);
  });

  test('no layers at work: −log softmax of the normed embedding against all embeddings', () => {
    const plain = new Weights(TINY);
    plain.tensor('norm').fill(1);
    // Token 5 is e0, token 7 is 3·e1, all others nothing.
    plain.tensor('embed')[5 * TINY.width] = 1;
    plain.tensor('embed')[7 * TINY.width + 1] = 3;
    // rms of e0 is 1/4, so its normed form is 4·e0 and that of 3·e1 is 4·e1 (up to the norm's epsilon).
    const from5to5 = Math.log(Math.exp(4) + TINY.vocab - 1) - 4;
    const from7to9 = Math.log(Math.exp(12) + TINY.vocab - 1);
    const batch = one([{ tokens: [5, 5, 7, 9], lossAt: [1, 3] }], 1 / 2);
    expect(engine.loss(plain, batch)).toBeCloseTo((from5to5 + from7to9) / 2, 3);
  });

  test('token-normalised: a long reply weighs more than a short one, by its tokens', () => {
    const [short, long] = [example(12, [11]), example(12, [3, 4, 5, 6, 7, 8, 9, 10, 11])];
    const [a, b] = [engine.loss(weights, one([short], 1)), engine.loss(weights, one([long], 1))];
    expect(engine.loss(weights, one([short, long], 1 / 10))).toBeCloseTo((a + b) / 10, 5);
  });
});
