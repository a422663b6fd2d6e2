/** Small models for tests. */
import type { LmConfig } from './config.ts';
import { FIRST_MERGE } from './tokenizer/tokenizer.ts';

/** The smallest vocabulary that holds the control tokens and all bytes. */
export const TINY: LmConfig = {
  vocab: Math.ceil(FIRST_MERGE / 8) * 8,
  context: 24,
  width: 16,
  layers: 2,
  heads: 2,
  hidden: 16,
  taps: 2,
};
