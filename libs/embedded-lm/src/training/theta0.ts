import { DEFAULT_CONFIG, parameterCount, type LmConfig } from '../config.ts';
import { learnTokenizer } from '../tokenizer/learn.ts';
import { Tokenizer, type TokenizerFile } from '../tokenizer/tokenizer.ts';
import { conversationsNeeded, pretrain, type TrainingConversation } from './pretrain.ts';

/** All that θ₀ follows from, beside the corpus itself. */
export interface Theta0Recipe {
  config: LmConfig;
  /** Names the corpus and the initial weights. */
  seed: string;
  steps: number;
  /** Conversations in a step. */
  batch: number;
  learningRate: number;
  /** Conversations that the vocabulary is learnt from, and the least share of a merge in their words. */
  vocabularyConversations: number;
  leastMergeShare: number;
}

/** The recipe of the shipped θ₀. */
export const THETA0_RECIPE: Readonly<Theta0Recipe> = {
  config: DEFAULT_CONFIG,
  seed: 'theta0',
  steps: 1600,
  batch: 16,
  learningRate: 4e-3,
  vocabularyConversations: 6000,
  leastMergeShare: 4e-4,
};

/** Where the corpus comes from: a domain. Both are deterministic, and a smaller size is a prefix of a larger one. */
export interface CorpusSource {
  pretrainingCorpus(options: { seed: string; size: number }): Iterable<TrainingConversation>;
  vocabularyText(options: { seed: string; size: number }): Iterable<string>;
}

export interface Theta0 {
  /** The files of `assets/`, by name. */
  files: { 'theta0.bin': Uint8Array; 'theta0.json': Uint8Array; 'tokenizer.json': Uint8Array };
  sha256: string;
  loss: number;
}

/** Learns the vocabulary and trains θ₀ from nothing. Same recipe and corpus, same files. */
export async function pretrainTheta0(options: {
  source: CorpusSource;
  recipe?: Theta0Recipe;
  threads?: number;
  onProgress?(progress: { step: number; steps: number; loss: number }): void;
}): Promise<Theta0> {
  const { source, recipe = THETA0_RECIPE, threads = 1, onProgress } = options;
  const { config, seed, steps, batch, learningRate, vocabularyConversations, leastMergeShare } = recipe;
  const texts = source.vocabularyText({ seed, size: vocabularyConversations });
  const tokenizerFile = learnTokenizer({ texts, vocab: config.vocab, minShare: leastMergeShare });
  const tokenizer = new Tokenizer(tokenizerFile);
  const corpus = source.pretrainingCorpus({ seed, size: conversationsNeeded(steps, batch) });
  const trained = await pretrain({ corpus, tokenizer, config, seed, steps, batch, learningRate, threads, onProgress });
  const { bytes, sha256, loss, tokens, tooLong } = trained;
  const facts = {
    sha256,
    bytes: bytes.byteLength,
    parameters: parameterCount(config),
    tokenizer: tokenizer.hash,
    recipe,
    tokens,
    tooLong,
    loss,
  };
  const utf8 = (text: string) => new TextEncoder().encode(`${text}\n`);
  return {
    files: {
      'theta0.bin': bytes,
      'theta0.json': utf8(JSON.stringify(facts, null, 2)),
      'tokenizer.json': utf8(tokenizerText(tokenizerFile)),
    },
    sha256,
    loss,
  };
}

/** JSON with one merge a line, so that a change can be read. */
function tokenizerText({ format, merges }: TokenizerFile): string {
  const lines = merges.map(([left, right]) => `    [${left}, ${right}]`);
  return `{\n  "format": "${format}",\n  "merges": [\n${lines.join(',\n')}\n  ]\n}`;
}
