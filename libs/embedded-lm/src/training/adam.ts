import { WhaleError } from '@whale/kernel';
import { decodeCheckpoint, encodeCheckpoint } from '../checkpoint.ts';
import { tensorShapes, type LmConfig } from '../config.ts';
import { fillTensors, Weights } from '../weights.ts';

const BETA1 = 0.9;
const BETA2 = 0.98;
const EPSILON = 1e-8;
/** Gradients longer than this are shortened to it. */
const MOST_NORM = 1;

/** AdamW without weight decay, in float64 arithmetic over float32 state. */
export class Adam {
  readonly #first: Weights;
  readonly #second: Weights;
  #step = 0;

  constructor(config: LmConfig) {
    this.#first = new Weights(config);
    this.#second = new Weights(config);
  }

  /** One update in place. */
  update(weights: Weights, gradient: Float32Array, learningRate: number): void {
    this.#step += 1;
    let square = 0;
    for (const g of gradient) square += g * g;
    const norm = Math.sqrt(square);
    if (!Number.isFinite(norm))
      throw new WhaleError('LM_DIVERGED', `the gradient of update ${this.#step} is not finite`);
    const scale = norm > MOST_NORM ? MOST_NORM / norm : 1;
    const [first, second, data] = [this.#first.data, this.#second.data, weights.data];
    const [correct1, correct2] = [1 - power(BETA1, this.#step), 1 - power(BETA2, this.#step)];
    for (let i = 0; i < data.length; i++) {
      const g = (gradient[i] as number) * scale;
      const m = BETA1 * (first[i] as number) + (1 - BETA1) * g;
      const v = BETA2 * (second[i] as number) + (1 - BETA2) * g * g;
      first[i] = m;
      second[i] = v;
      (data[i] as number) -= (learningRate * (m / correct1)) / (Math.sqrt(v / correct2) + EPSILON);
    }
  }

  /** A checkpoint of kind `adamw`. */
  encode(tokenizer: string): Uint8Array {
    const { config } = this.#first;
    const tensors = [
      ['m', this.#first],
      ['v', this.#second],
    ].flatMap(([prefix, moments]) =>
      tensorShapes(config).map(({ name, shape }) => ({
        name: `${prefix as string}.${name}`,
        shape,
        data: (moments as Weights).tensor(name),
      })),
    );
    return encodeCheckpoint({ kind: 'adamw', config, tokenizer, step: this.#step, tensors }, 'f32');
  }

  /** Throws WhaleError LM_CHECKPOINT or LM_WEIGHTS for bytes that are not the state of such a model. */
  static decode(bytes: Uint8Array, config: LmConfig): Adam {
    const { kind, step, tensors, config: sizes } = decodeCheckpoint(bytes);
    if (kind !== 'adamw' || JSON.stringify(sizes) !== JSON.stringify(config)) {
      throw new WhaleError('LM_CHECKPOINT', `a checkpoint of ${kind} is not the optimizer state of these weights`);
    }
    const adam = new Adam(config);
    const half = tensors.length / 2;
    const named = (part: typeof tensors) => part.map((tensor) => ({ ...tensor, name: tensor.name.slice(2) }));
    fillTensors(adam.#first, named(tensors.slice(0, half)));
    fillTensors(adam.#second, named(tensors.slice(half)));
    adam.#step = step;
    return adam;
  }
}

/** base ** exponent by multiplications, whose rounding no engine changes. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent && result > 0; i++) result *= base;
  return result;
}
