export { decodeCheckpoint, encodeCheckpoint, type Checkpoint } from './checkpoint.ts';
export { encodeMessage, encodePrompt } from './chat-template.ts';
export { DEFAULT_CONFIG, parameterCount, type LmConfig } from './config.ts';
export { Generator, type GeneratorOptions, type SampleRequest, type SampleResult } from './inference/generator.ts';
export { loadTheta0, loadTokenizer } from './shipped.ts';
export { CONTROL_TOKENS, Tokenizer, type ControlToken, type TokenizerFile } from './tokenizer/tokenizer.ts';
export { learnTokenizer, type LearnTokenizerOptions } from './tokenizer/learn.ts';
export { decodeWeights, encodeWeights, initialWeights, Weights } from './weights.ts';
