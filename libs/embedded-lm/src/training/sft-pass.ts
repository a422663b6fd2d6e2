import type { Example } from './batches.ts';
import { collate, planBatches } from './batches.ts';
import type { Adam } from './adam.ts';
import type { GradientPool } from './gradient-pool.ts';

export interface SftPassOptions {
  examples: readonly Example[];
  learningRate: number;
  /** Most tokens of one gradient batch. */
  batchTokens: number;
  /** Names the order of the examples. */
  seed: string;
  /** Called after each batch; its error ends the pass. */
  onBatch?(progress: { batch: number; batches: number; loss: number }): void | Promise<void>;
}

export interface SftPassResult {
  /** Σ −log π / Σ |I(τ)| over the pass, each batch measured before its own step, in nats. */
  loss: number;
  lossTokens: number;
  totalTokens: number;
  batches: number;
}

/**
 * One pass of token-normalised negative log-likelihood (DESIGN §5), changing the pool's weights and the optimizer.
 *
 * The examples are cut into n gradient batches, one optimizer step each. A step's gradient is that of
 *
 *     n / N · Σ_{τ in batch} Σ_{t∈I(τ)} −log π(τ_t | τ_<t),   N = Σ |I(τ)| over the pass:
 *
 * every token of the pass weighs the same 1/N (times n steps), also in a last batch that is smaller, and with one
 * batch it is L(θ) itself.
 */
export async function sftPass(pool: GradientPool, adam: Adam, options: SftPassOptions): Promise<SftPassResult> {
  const { examples, learningRate, batchTokens, seed, onBatch } = options;
  const batches = planBatches(examples, batchTokens, seed);
  const lossTokens = countLossTokens(examples);
  const weight = batches.length / lossTokens;
  let total = 0;
  for (const [batch, chosen] of batches.entries()) {
    const { loss, gradient } = await pool.compute(collate(chosen, weight, pool.weights.config));
    adam.update(pool.weights, gradient, learningRate);
    total += loss / weight;
    const mean = loss / weight / countLossTokens(chosen);
    await onBatch?.({ batch: batch + 1, batches: batches.length, loss: mean });
  }
  const totalTokens = examples.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return { loss: total / lossTokens, lossTokens, totalTokens, batches: batches.length };
}

export function countLossTokens(examples: readonly Example[]): number {
  return examples.reduce((sum, { lossAt }) => sum + lossAt.length, 0);
}
