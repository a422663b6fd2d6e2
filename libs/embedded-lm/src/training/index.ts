export { Adam } from './adam.ts';
export { collate, planBatches, toExample, type Example } from './batches.ts';
export { GradientEngine, type Batch, type Gradient } from './gradient.ts';
export { GradientPool } from './gradient-pool.ts';
export { conversationExample, pretrain, type PretrainOptions, type PretrainResult } from './pretrain.ts';
export { pretrainTheta0, THETA0_RECIPE, type CorpusSource, type Theta0, type Theta0Recipe } from './theta0.ts';
export { sftPass, type SftPassOptions, type SftPassResult } from './sft-pass.ts';
