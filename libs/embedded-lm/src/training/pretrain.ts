import type { Message } from '@whale/contracts';
import { InputError, rng, sha256 } from '@whale/kernel';
import { encodeMessage } from '../chat-template.ts';
import type { LmConfig } from '../config.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { encodeWeights, initialWeights } from '../weights.ts';
import { Adam } from './adam.ts';
import { collate, type Example } from './batches.ts';
import { GradientPool } from './gradient-pool.ts';

/** A conversation of the corpus; `targets` are the messages whose tokens carry loss. */
export interface TrainingConversation {
  messages: readonly Message[];
  targets: readonly number[];
}

export interface PretrainOptions {
  corpus: Iterable<TrainingConversation>;
  tokenizer: Tokenizer;
  config: LmConfig;
  /** Names the initial weights. */
  seed: string;
  steps: number;
  /** Conversations in one step. A corpus of fewer than `conversationsNeeded` is begun again, if it can be. */
  batch: number;
  /** Peak learning rate: rises over the first twentieth of the steps, then falls linearly to a twentieth. */
  learningRate: number;
  /** Does not change the result. Default 2. */
  threads?: number;
  onProgress?(progress: { step: number; steps: number; loss: number }): void;
}

export interface PretrainResult {
  /** The checkpoint, int8. */
  bytes: Uint8Array;
  sha256: string;
  /** Mean loss of the last tenth of the steps, in nats a token. */
  loss: number;
  tokens: number;
  /** Conversations left out since they are longer than the context. */
  tooLong: number;
}

const BATCHES_SORTED = 16;

/** What `pretrain` reads at most, with a twentieth more for those that are too long. */
export function conversationsNeeded(steps: number, batch: number): number {
  return Math.ceil(Math.ceil(steps / BATCHES_SORTED) * BATCHES_SORTED * batch * 1.05);
}

/**
 * Trains a model from random weights. Same options, same bytes (threads aside). Conversations longer than the context
 * are left out and counted. Throws InputError for an empty corpus.
 */
export async function pretrain(options: PretrainOptions): Promise<PretrainResult> {
  const { corpus, tokenizer, config, seed, steps, batch, learningRate, threads = 2, onProgress } = options;
  const pool = new GradientPool(config, threads);
  try {
    pool.weights.data.set(initialWeights(config, seed).data);
    const adam = new Adam(config);
    let [tokens, tooLong] = [0, 0];
    const batches = alike(
      batch,
      seed,
      endless(corpus, (conversation) => {
        const example = conversationExample(tokenizer, conversation);
        if (example.tokens.length <= config.context) return example;
        tooLong += 1;
        return undefined;
      }),
    );
    const tail: number[] = [];
    for (let step = 0; step < steps; step++) {
      const chosen = batches.next().value as Example[];
      tokens += chosen.reduce((sum, example) => sum + example.tokens.length, 0);
      const weight = 1 / chosen.reduce((sum, { lossAt }) => sum + lossAt.length, 0);
      const { loss, gradient } = await pool.compute(collate(chosen, weight, config));
      adam.update(pool.weights, gradient, learningRate * schedule(step / steps));
      if (step >= steps * 0.9) tail.push(loss);
      onProgress?.({ step: step + 1, steps, loss });
    }
    const bytes = encodeWeights(pool.weights, tokenizer.hash, 'i8');
    const loss = tail.reduce((sum, value) => sum + value, 0) / tail.length;
    return { bytes, sha256: sha256(bytes), loss, tokens, tooLong };
  } finally {
    await pool.close();
  }
}

/** Ids of a conversation; loss on the text and the `<end>` of each target message, not on its role token. */
export function conversationExample(tokenizer: Tokenizer, { messages, targets }: TrainingConversation): Example {
  const tokens: number[] = [];
  const lossAt: number[] = [];
  for (const [i, message] of messages.entries()) {
    const ids = encodeMessage(tokenizer, message);
    if (targets.includes(i)) for (let k = 1; k < ids.length; k++) lossAt.push(tokens.length + k);
    tokens.push(...ids);
  }
  return { tokens, lossAt };
}

function schedule(done: number): number {
  return done < 0.05 ? done / 0.05 + 0.01 : 1 - 0.95 * ((done - 0.05) / 0.95);
}

/** Batches of examples of like length, so that little is padded: a run of examples is sorted, cut, and shuffled again. */
function* alike(batch: number, seed: string, examples: Iterator<Example>): Generator<Example[]> {
  const random = rng(`${seed}/batches`);
  for (;;) {
    const run = Array.from({ length: batch * BATCHES_SORTED }, () => examples.next().value as Example);
    run.sort((a, b) => a.tokens.length - b.tokens.length);
    yield* random.shuffle(Array.from({ length: BATCHES_SORTED }, (_, i) => run.slice(i * batch, (i + 1) * batch)));
  }
}

function* endless<T, U>(items: Iterable<T>, convert: (item: T) => U | undefined): Generator<U> {
  for (;;) {
    let any = false;
    for (const item of items) {
      const converted = convert(item);
      if (converted === undefined) continue;
      any = true;
      yield converted;
    }
    if (!any) throw new InputError('the pretraining corpus has no (further) conversation that fits the context');
  }
}
