import { WhaleError } from '@whale/kernel';

/** Sizes of the embedded language model. Every tensor shape follows from them. */
export interface LmConfig {
  /** Entries of the vocabulary. */
  vocab: number;
  /** Longest sequence in tokens, prompt and reply together. */
  context: number;
  /** Width d of the residual stream. */
  width: number;
  layers: number;
  heads: number;
  /** Width of the feed-forward hidden layer. */
  hidden: number;
  /** Tokens before its own that each position sees through the embedding, before any attention. */
  taps: number;
}

/** The shipped model: about 140 thousand parameters. */
export const DEFAULT_CONFIG: Readonly<LmConfig> = {
  vocab: 640,
  context: 144,
  width: 64,
  layers: 2,
  heads: 4,
  hidden: 128,
  taps: 4,
};

export interface TensorShape {
  name: string;
  shape: readonly number[];
}

/** The tensors of a model in file order. Matrices are [input, output] row-major; `embed` is [vocab, width], tied. */
export function tensorShapes(config: LmConfig): TensorShape[] {
  const { vocab, width, hidden, layers, taps } = config;
  const list: TensorShape[] = [
    { name: 'embed', shape: [vocab, width] },
    { name: 'shift', shape: [taps, width] },
  ];
  for (let layer = 0; layer < layers; layer++) {
    list.push(
      { name: `norm1.${layer}`, shape: [width] },
      { name: `qkv.${layer}`, shape: [width, 3 * width] },
      { name: `out.${layer}`, shape: [width, width] },
      { name: `norm2.${layer}`, shape: [width] },
      { name: `up.${layer}`, shape: [width, hidden] },
      { name: `down.${layer}`, shape: [hidden, width] },
    );
  }
  list.push({ name: 'norm', shape: [width] });
  return list;
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, n) => product * n, 1);
}

export function parameterCount(config: LmConfig): number {
  return tensorShapes(config).reduce((sum, { shape }) => sum + sizeOf(shape), 0);
}

/** Throws WhaleError LM_CONFIG unless the kernels can run these sizes (multiples of 8). */
export function checkConfig(config: LmConfig): void {
  const { vocab, context, width, layers, heads, hidden, taps } = config;
  const whole = [vocab, context, width, layers, heads, hidden, taps].every((n) => Number.isInteger(n) && n > 0);
  const fits =
    whole && vocab % 8 === 0 && width % 8 === 0 && hidden % 8 === 0 && width % heads === 0 && (width / heads) % 8 === 0;
  if (!fits) {
    throw new WhaleError(
      'LM_CONFIG',
      `model sizes ${JSON.stringify(config)} do not fit: vocab, width and hidden must be multiples of 8, ` +
        'width a multiple of heads and the head size a multiple of 8',
    );
  }
}
