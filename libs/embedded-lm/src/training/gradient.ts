import type { numpy } from '@jax-js/jax';
import { tensorShapes, type LmConfig } from '../config.ts';
import { rotaryTable } from '../rotary.ts';
import { Weights } from '../weights.ts';
import { jax } from './jax.ts';
import { lossFunction, type BatchTensors, type LayerTensors, type Parameters } from './loss.ts';

type Tensor = numpy.Array;

/** Sequences padded to one shape for one call of the compiled gradient. Padding carries weight 0. */
export interface Batch {
  sequences: number;
  /** Tokens a sequence, padded. */
  length: number;
  /** Positions with loss a sequence, padded. */
  picked: number;
  /** [sequences, length]. */
  tokens: Int32Array;
  /** [sequences, picked]: the position that predicts, its target token, and its weight in the loss. */
  positions: Int32Array;
  targets: Int32Array;
  weights: Float32Array;
}

export interface Gradient {
  /** Σ weight · −log π(target), in nats. */
  loss: number;
  /** By the parameters, in the order of `Weights.data`. */
  gradient: Float32Array;
}

const BLOCKED = -1e9;

/**
 * Loss and gradient by automatic differentiation (jax-js). Each shape of batch is compiled at its first use.
 *
 * The embedding is looked up here and not by the library: the loss takes the looked-up rows, and what comes back for
 * them is added to the rows of the embedding's gradient, in order, which is just what differentiating a look-up does.
 */
export class GradientEngine {
  readonly #config: LmConfig;
  readonly #compiled;
  readonly #rotary;

  constructor(config: LmConfig) {
    this.#config = config;
    this.#rotary = rotaryTable(config);
    this.#compiled = jax.jit(jax.valueAndGrad(lossFunction(config)));
  }

  compute(weights: Weights, batch: Batch): Gradient {
    const parameters = this.#parameters(weights, batch);
    const [value, gradients] = this.#compiled(parameters, this.#constants(batch)) as [Tensor, Parameters];
    const loss = value.dataSync()[0] as number;
    return { loss, gradient: this.#collect(gradients, batch) };
  }

  /** Loss alone, uncompiled and without a gradient: for tests. */
  loss(weights: Weights, batch: Batch): number {
    const value = lossFunction(this.#config)(this.#parameters(weights, batch), this.#constants(batch));
    return value.dataSync()[0] as number;
  }

  #parameters(weights: Weights, batch: Batch): Parameters {
    const { width, vocab, layers } = this.#config;
    const shapes = new Map(tensorShapes(this.#config).map(({ name, shape }) => [name, [...shape]]));
    const tensor = (name: string) => array(weights.tensor(name).slice(), shapes.get(name) as number[]);
    const third = (name: string, part: number) => {
      const data = new Float32Array(width * width);
      copyColumns(weights.tensor(name), 3 * width, part * width, data, width, 0, width);
      return array(data, [width, width]);
    };
    const embed = weights.tensor('embed');
    const rows = (ids: Int32Array, shape: number[]) => {
      const data = new Float32Array(ids.length * width);
      ids.forEach((id, i) => data.set(embed.subarray(id * width, (id + 1) * width), i * width));
      return array(data, [...shape, width]);
    };
    return {
      shift: tensor('shift'),
      layers: Array.from({ length: layers }, (_, layer): LayerTensors => ({
        norm1: tensor(`norm1.${layer}`),
        query: third(`qkv.${layer}`, 0),
        key: third(`qkv.${layer}`, 1),
        value: third(`qkv.${layer}`, 2),
        out: tensor(`out.${layer}`),
        norm2: tensor(`norm2.${layer}`),
        up: tensor(`up.${layer}`),
        down: tensor(`down.${layer}`),
      })),
      norm: tensor('norm'),
      head: array(transposed(embed, vocab, width), [width, vocab]),
      inputs: rows(batch.tokens, [batch.sequences, batch.length]),
      targets: rows(batch.targets, [batch.sequences, batch.picked]),
    };
  }

  #constants(batch: Batch): BatchTensors {
    const { sequences, length, picked, positions } = batch;
    const half = this.#config.width / this.#config.heads / 2;
    const { cos, sin } = this.#rotary;
    const pick = new Float32Array(sequences * picked * length);
    const pickedCausal = new Float32Array(sequences * picked * length);
    const pickedCos = new Float32Array(sequences * picked * half);
    const pickedSin = new Float32Array(sequences * picked * half);
    positions.forEach((position, i) => {
      pick[i * length + position] = 1;
      pickedCausal.fill(BLOCKED, i * length + position + 1, (i + 1) * length);
      pickedCos.set(cos.subarray(position * half, (position + 1) * half), i * half);
      pickedSin.set(sin.subarray(position * half, (position + 1) * half), i * half);
    });
    const causal = new Float32Array(length * length);
    for (let row = 0; row < length; row++) causal.fill(BLOCKED, row * length + row + 1, (row + 1) * length);
    return {
      pick: array(pick, [sequences, picked, length]),
      causal: array(causal, [length, length]),
      pickedCausal: array(pickedCausal, [sequences, 1, picked, length]),
      cos: array(cos.slice(0, length * half), [length, half]),
      sin: array(sin.slice(0, length * half), [length, half]),
      pickedCos: array(pickedCos, [sequences, 1, picked, half]),
      pickedSin: array(pickedSin, [sequences, 1, picked, half]),
      weight: array(batch.weights.slice(), [sequences, picked]),
    };
  }

  /** Reads the library's gradients into one buffer; the three gradients of the embedding are added up. */
  #collect(gradients: Parameters, batch: Batch): Float32Array {
    const { width, vocab } = this.#config;
    const sum = new Weights(this.#config);
    const read = (tensor: Tensor) => tensor.dataSync() as Float32Array;
    const embed = sum.tensor('embed');
    embed.set(transposed(read(gradients.head), width, vocab));
    const scatter = (ids: Int32Array, rows: Float32Array) => {
      ids.forEach((id, i) => {
        for (let d = 0; d < width; d++) (embed[id * width + d] as number) += rows[i * width + d] as number;
      });
    };
    scatter(batch.tokens, read(gradients.inputs));
    scatter(batch.targets, read(gradients.targets));
    sum.tensor('shift').set(read(gradients.shift));
    sum.tensor('norm').set(read(gradients.norm));
    for (const [index, layer] of gradients.layers.entries()) {
      const { query, key, value, ...whole } = layer;
      for (const [part, tensor] of [query, key, value].entries()) {
        copyColumns(read(tensor), width, 0, sum.tensor(`qkv.${index}`), 3 * width, part * width, width);
      }
      for (const [name, tensor] of Object.entries(whole)) sum.tensor(`${name}.${index}`).set(read(tensor));
    }
    return sum.data;
  }
}

function array(data: Float32Array, shape: number[]): Tensor {
  return jax.numpy.array(data as Float32Array<ArrayBuffer>).reshape(shape);
}

/** Copies `count` columns of a row-major matrix into another of as many rows. */
function copyColumns(
  source: Float32Array,
  sourceWidth: number,
  from: number,
  target: Float32Array,
  targetWidth: number,
  to: number,
  count: number,
): void {
  for (let row = 0; row * sourceWidth < source.length; row++) {
    const at = row * sourceWidth + from;
    target.set(source.subarray(at, at + count), row * targetWidth + to);
  }
}

/** [rows, columns] → [columns, rows]. */
function transposed(source: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(source.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++)
      out[column * rows + row] = source[row * columns + column] as number;
  }
  return out;
}
