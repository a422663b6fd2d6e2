import { afterAll, describe, expect, test } from 'vitest';
import { rng } from '@whale/kernel';
import { Generator } from '../inference/generator.ts';
import { TINY } from '../testing.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';
import { initialWeights, Weights } from '../weights.ts';
import { Adam } from './adam.ts';
import type { Example } from './batches.ts';
import { GradientPool } from './gradient-pool.ts';
import { conversationExample } from './pretrain.ts';
import { sftPass } from './sft-pass.ts';

const tokenizer = new Tokenizer({ format: 'whale-bpe-1', merges: [] });
const pool = new GradientPool(TINY, 1);
afterAll(() => pool.close());

const pass = (examples: Example[], adam: Adam, seed: string, options: Partial<Parameters<typeof sftPass>[2]> = {}) =>
  sftPass(pool, adam, { examples, learningRate: 1e-2, batchTokens: 256, seed, ...options });

describe('one pass', () => {
  const random = rng('pass');
  const examples: Example[] = Array.from({ length: 20 }, () => ({
    tokens: Array.from({ length: 12 }, () => random.int(TINY.vocab)),
    lossAt: [8, 9, 10, 11].slice(0, 1 + random.int(4)),
  }));

  test('one batch: the loss reported is L(θ), Σ over Σ, and progress agrees', async () => {
    pool.weights.data.set(initialWeights(TINY, 'pass').data);
    const seen: number[] = [];
    const result = await pass(examples, new Adam(TINY), 's', {
      batchTokens: 10_000,
      onBatch: ({ loss, batch, batches }) => void seen.push(loss, batch, batches),
    });
    expect(seen).toEqual([expect.closeTo(result.loss, 5), 1, 1]);
    expect(result).toMatchObject({
      batches: 1,
      totalTokens: 240,
      lossTokens: examples.reduce((sum, { lossAt }) => sum + lossAt.length, 0),
    });
    // Untrained: near the uniform distribution.
    expect(Math.abs(result.loss - Math.log(TINY.vocab))).toBeLessThan(0.3);
  });

  test('with a learning rate of 0 the batching does not change the loss', async () => {
    const loss = async (batchTokens: number) =>
      (await pass(examples, new Adam(TINY), 's', { batchTokens, learningRate: 0 })).loss;
    expect(await loss(50)).toBeCloseTo(await loss(10_000), 4);
  });

  test('repeated passes learn the examples; optimizer state goes on from its checkpoint', async () => {
    pool.weights.data.set(initialWeights(TINY, 'pass').data);
    let adam = new Adam(TINY);
    const first = (await pass(examples, adam, '0')).loss;
    for (let i = 1; i < 25; i++) {
      adam = Adam.decode(adam.encode('tok'), TINY);
      await pass(examples, adam, `${i}`);
    }
    expect((await pass(examples, adam, 'end')).loss).toBeLessThan(0.6 * first);
  });

  test('an error of onBatch ends the pass', async () => {
    const stop = () => Promise.reject(new Error('enough'));
    await expect(pass(examples, new Adam(TINY), 's', { onBatch: stop })).rejects.toThrow('enough');
  });
});

describe('RSFT: the gain comes from the verifier', () => {
  const LETTERS = 'abcdefgh'.split('');
  const messages = (letter: string) => [{ role: 'user' as const, content: letter }];

  /** A model that answers a letter with itself in about half of the cases, else with another. */
  async function careless(): Promise<Float32Array> {
    const random = rng('careless');
    pool.weights.data.set(initialWeights(TINY, 'careless').data);
    const adam = new Adam(TINY);
    const examples = Array.from({ length: 400 }, () => {
      const letter = random.pick(LETTERS);
      const content = random.float() < 0.45 ? letter : random.pick(LETTERS);
      return conversationExample(tokenizer, {
        messages: [...messages(letter), { role: 'assistant', content }],
        targets: [1],
      });
    });
    for (let i = 0; i < 9; i++) await pass(examples, adam, `careless/${i}`, { batchTokens: 200 });
    return pool.weights.data.slice();
  }

  /** Rollouts of each prompt with their mean reward. */
  function rollOut(seed: string, count = 25): { reward: number; outcomes: { right: boolean; example: Example }[] } {
    const generator = new Generator(TINY, tokenizer, { maxBatch: 64, keptPrefixes: 8, banks: 1 });
    generator.load('w', new Weights(TINY, pool.weights.data.slice()));
    const outcomes: { right: boolean; example: Example }[] = [];
    LETTERS.forEach((letter, l) => {
      for (let g = 0; g < count; g++) {
        const request = {
          messages: messages(letter),
          stop: [],
          maxTokens: 4,
          temperature: 1,
          seed: `${seed}/${letter}/${g}`,
        };
        generator.submit('w', request, ({ text, promptTokens, tokens }) => {
          const lossAt = tokens.map((_, i) => promptTokens.length + i);
          outcomes[l * count + g] = {
            right: text === letter,
            example: { tokens: [...promptTokens, ...tokens], lossAt },
          };
        });
      }
    });
    while (!generator.idle) generator.step();
    return { reward: outcomes.filter(({ right }) => right).length / outcomes.length, outcomes };
  }

  async function rsft(start: Float32Array, accept: 'verified' | 'random'): Promise<number> {
    pool.weights.data.set(start);
    const adam = new Adam(TINY);
    for (let step = 0; step < 5; step++) {
      const { outcomes } = rollOut(`${accept}/${step}`);
      const right = outcomes.filter((outcome) => outcome.right);
      const chosen = accept === 'verified' ? right : rng(`${step}`).shuffle(outcomes).slice(0, right.length);
      await pass(
        chosen.map(({ example }) => example),
        adam,
        `${step}`,
        { learningRate: 4e-3 },
      );
    }
    return rollOut('evaluation', 100).reward;
  }

  test('accepting what is right helps, accepting as many at random does not', async () => {
    const start = await careless();
    pool.weights.data.set(start);
    const before = rollOut('evaluation', 100).reward;
    const verified = await rsft(start, 'verified');
    const random = await rsft(start, 'random');
    expect(before).toBeGreaterThan(0.25);
    expect(before).toBeLessThan(0.75);
    expect(verified).toBeGreaterThan(before + 0.2);
    expect(random).toBeLessThan(before + 0.1);
  }, 120_000);
});
