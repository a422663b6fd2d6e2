export { Adam } from './adam.ts';
export { collate, planBatches, toExample, type Example } from './batches.ts';
export { GradientEngine, type Batch, type Gradient } from './gradient.ts';
export { GradientPool } from './gradient-pool.ts';
export { conversationExample, pretrain, type PretrainOptions, type PretrainResult } from './pretrain.ts';
export { sftPass, type SftPassOptions, type SftPassResult } from './sft-pass.ts';
