import { rng, WhaleError } from '@whale/kernel';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';
import { sizeOf, tensorShapes, type LmConfig, type TensorShape } from './config.ts';

/** The parameters of a model in one float32 buffer, tensors in the order of `tensorShapes`. */
export class Weights {
  readonly config: LmConfig;
  readonly data: Float32Array;
  readonly #offsets = new Map<string, [number, number]>();

  constructor(config: LmConfig, data?: Float32Array) {
    this.config = config;
    let at = 0;
    for (const { name, shape } of tensorShapes(config)) {
      this.#offsets.set(name, [at, at + sizeOf(shape)]);
      at += sizeOf(shape);
    }
    this.data = data ?? new Float32Array(at);
    if (this.data.length !== at) {
      throw new WhaleError('LM_WEIGHTS', `${this.data.length} parameters where the sizes ask for ${at}`);
    }
  }

  /** A view. Throws WhaleError LM_WEIGHTS for an unknown name. */
  tensor(name: string): Float32Array {
    const range = this.#offsets.get(name);
    if (range === undefined) throw new WhaleError('LM_WEIGHTS', `there is no tensor ${name}`);
    return this.data.subarray(...range);
  }
}

/**
 * Random weights before any training: norms 1, matrices uniform with the variance 1 / inputs (residual outputs less),
 * embeddings with standard deviation 0.05. Uniform numbers, since they need no transcendental function.
 */
export function initialWeights(config: LmConfig, seed: string): Weights {
  const weights = new Weights(config);
  for (const { name, shape } of tensorShapes(config)) {
    const tensor = weights.tensor(name);
    const random = rng(`${seed}/init/${name}`);
    const [inputs = 1] = shape;
    if (name.startsWith('norm')) {
      tensor.fill(1);
      continue;
    }
    let deviation = 1 / Math.sqrt(inputs);
    if (name === 'embed') deviation = 0.05;
    if (name === 'shift') deviation = 0.4;
    if (name.startsWith('out') || name.startsWith('down')) deviation /= Math.sqrt(2 * config.layers);
    for (let i = 0; i < tensor.length; i++) tensor[i] = (2 * random.float() - 1) * Math.sqrt(3) * deviation;
  }
  return weights;
}

export function encodeWeights(weights: Weights, tokenizer: string, encoding: 'f32' | 'i8'): Uint8Array {
  const { config } = weights;
  const tensors = tensorShapes(config).map((shape) => ({ ...shape, data: weights.tensor(shape.name) }));
  return encodeCheckpoint({ kind: 'weights', config, tokenizer, step: 0, tensors }, encoding);
}

/**
 * Weights from checkpoint bytes. Throws WhaleError: LM_CHECKPOINT for damaged bytes or another kind of checkpoint,
 * LM_TOKENIZER when they belong to another tokenizer, LM_WEIGHTS when a tensor is not as the sizes ask.
 */
export function decodeWeights(bytes: Uint8Array, tokenizer: string): Weights {
  const checkpoint = decodeCheckpoint(bytes);
  if (checkpoint.kind !== 'weights') {
    throw new WhaleError('LM_CHECKPOINT', `a checkpoint of ${checkpoint.kind} where weights are expected`);
  }
  if (checkpoint.tokenizer !== tokenizer) {
    throw new WhaleError('LM_TOKENIZER', `the weights belong to tokenizer ${checkpoint.tokenizer}, not ${tokenizer}`);
  }
  const weights = new Weights(checkpoint.config);
  fillTensors(weights, checkpoint.tensors);
  return weights;
}

/** Copies tensors by name. Throws WhaleError LM_WEIGHTS unless they are just those of the sizes. */
export function fillTensors(weights: Weights, tensors: readonly (TensorShape & { data: Float32Array })[]): void {
  const expected = tensorShapes(weights.config);
  for (const [i, { name, shape }] of expected.entries()) {
    const tensor = tensors[i];
    if (tensor?.name !== name || String(tensor.shape) !== String(shape)) {
      throw new WhaleError('LM_WEIGHTS', `tensor ${i} is ${tensor?.name} [${tensor?.shape}], not ${name} [${shape}]`);
    }
    weights.tensor(name).set(tensor.data);
  }
  if (tensors.length !== expected.length)
    throw new WhaleError('LM_WEIGHTS', `${tensors.length} tensors, not ${expected.length}`);
}
