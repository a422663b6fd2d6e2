import type { TokenSample } from '@whale/contracts';
import { describe, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../config.ts';
import { collate, planBatches, toExample, type Example } from './batches.ts';

const { context, vocab } = DEFAULT_CONFIG;
const tokens = (length: number) => Array.from({ length }, (_, i) => i);

describe('samples', () => {
  test('spans are spelt out, in order, whatever their order', () => {
    const sample: TokenSample = {
      tokens: tokens(10),
      modelSpans: [
        [7, 2],
        [2, 3],
      ],
    };
    expect(toExample(sample, DEFAULT_CONFIG, 'it').lossAt).toEqual([2, 3, 4, 7, 8]);
  });

  test.each<[string, TokenSample]>([
    ['longer than the context', { tokens: tokens(context + 1), modelSpans: [[5, 1]] }],
    ['a token outside the vocabulary', { tokens: [1, vocab, 2], modelSpans: [[1, 2]] }],
    ['a span at position 0', { tokens: tokens(5), modelSpans: [[0, 2]] }],
    ['a span that leaves the tokens', { tokens: tokens(5), modelSpans: [[3, 3]] }],
    [
      'overlapping spans',
      {
        tokens: tokens(9),
        modelSpans: [
          [2, 3],
          [4, 2],
        ],
      },
    ],
    ['nothing generated', { tokens: tokens(9), modelSpans: [] }],
  ])('refused, never cut: %s', (_, sample) => {
    expect(() => toExample(sample, DEFAULT_CONFIG, 'sample 3')).toThrow(
      expect.objectContaining({ code: 'LM_SAMPLE', retryable: false, message: expect.stringMatching(/^sample 3 /) }),
    );
  });
});

const examples: Example[] = Array.from({ length: 50 }, (_, i) => ({
  tokens: tokens(20 + ((i * 37) % 100)),
  lossAt: [5, 6, 7 + (i % 9)],
}));

describe('gradient batches', () => {
  test('keep to the bound, lose nothing, and follow the seed', () => {
    const batches = planBatches(examples, 400, 'a');
    for (const batch of batches)
      expect(batch.reduce((sum, example) => sum + example.tokens.length, 0)).toBeLessThanOrEqual(400);
    expect(new Set(batches.flat())).toEqual(new Set(examples));
    expect(planBatches(examples, 400, 'a')).toEqual(batches);
    expect(planBatches(examples, 400, 'b')).not.toEqual(batches);
  });

  test('an example longer than the bound has a batch to itself', () => {
    expect(planBatches(examples.slice(0, 3), 1, 'a')).toHaveLength(3);
  });

  test('padding weighs nothing; every loss position weighs the same', () => {
    const parts = collate(examples, 0.25, DEFAULT_CONFIG);
    const weights = parts.flatMap((part) => [...part.weights]);
    expect(weights.filter((weight) => weight !== 0)).toEqual(Array.from({ length: 150 }, () => 0.25));
    for (const part of parts) {
      part.weights.forEach((weight, i) => {
        if (weight === 0) return;
        const row = Math.floor(i / part.picked);
        const at = part.positions[i] as number;
        expect(part.targets[i]).toBe(part.tokens[row * part.length + at + 1]);
      });
    }
  });
});
