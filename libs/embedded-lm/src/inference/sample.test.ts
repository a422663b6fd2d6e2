import { rng } from '@whale/kernel';
import { expect, test } from 'vitest';
import { sampleToken } from './sample.ts';

test('temperature 0 takes the largest, the first of equals', () => {
  expect(sampleToken(Float32Array.of(1, 3, 3, 2), 0, 0.99)).toBe(1);
});

test('samples the full softmax: frequencies follow the probabilities, the rare ones included', () => {
  const probabilities = [0.5, 0.3, 0.15, 0.04, 0.01];
  const logits = Float32Array.from(probabilities, Math.log);
  const random = rng('frequencies');
  const counts = probabilities.map(() => 0);
  const draws = 20_000;
  for (let i = 0; i < draws; i++) (counts[sampleToken(logits, 1, random.float())] as number) += 1;
  probabilities.forEach((p, token) => {
    const deviation = Math.sqrt(p * (1 - p) * draws);
    expect(Math.abs((counts[token] as number) - p * draws)).toBeLessThan(4.5 * deviation);
  });
});

test('the roll walks through the tokens in order', () => {
  const logits = Float32Array.of(0, 0, 0, 0);
  expect([0, 0.24, 0.26, 0.51, 0.999999].map((roll) => sampleToken(logits, 1, roll))).toEqual([0, 0, 1, 2, 3]);
});

test('a higher temperature flattens, a lower one sharpens', () => {
  const logits = Float32Array.of(0, 1);
  expect(sampleToken(logits, 100, 0.49)).toBe(0);
  expect(sampleToken(logits, 0.1, 0.01)).toBe(1);
});
