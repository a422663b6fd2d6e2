import type { numpy } from '@jax-js/jax';
import type { LmConfig } from '../config.ts';
import { NORM_EPSILON } from '../inference/engine.ts';
import { jax } from './jax.ts';

type Tensor = numpy.Array;

export type LayerTensors = {
  norm1: Tensor;
  /** The three thirds of `qkv`. */
  query: Tensor;
  key: Tensor;
  value: Tensor;
  out: Tensor;
  norm2: Tensor;
  up: Tensor;
  down: Tensor;
};

/** What the loss is differentiated by. The embedding stands in three places; see gradient.ts. */
export type Parameters = {
  shift: Tensor;
  layers: LayerTensors[];
  norm: Tensor;
  /** The embedding transposed: [width, vocab]. */
  head: Tensor;
  /** Embeddings of the input tokens [B, T, width]. */
  inputs: Tensor;
  /** Embeddings of the target tokens [B, P, width]. */
  targets: Tensor;
};

/** Constants of a batch: B sequences of T tokens, of which P positions (padded) carry loss. */
export type BatchTensors = {
  /** One-hot rows that pick the P positions: [B, P, T]. */
  pick: Tensor;
  /** 0 where a position may be looked at, a large negative number elsewhere: [T, T] and [B, 1, P, T]. */
  causal: Tensor;
  pickedCausal: Tensor;
  /** Rotary angles: [T, headSize / 2] and, for the picked positions, [B, 1, P, headSize / 2]. */
  cos: Tensor;
  sin: Tensor;
  pickedCos: Tensor;
  pickedSin: Tensor;
  /** Weight of each picked position in the sum, 0 for padding: [B, P]. */
  weight: Tensor;
};

/**
 * Σ weight · −log π(target) over the picked positions: the training twin of the inference engine's forward pass.
 * The last layer runs its queries, its output and its feed-forward part at the picked positions only; nothing reads
 * the others, so value and gradient are those of the full pass.
 */
export function lossFunction(config: LmConfig): (parameters: Parameters, batch: BatchTensors) => Tensor {
  const { numpy: np, nn } = jax;
  const { width, heads, layers } = config;
  const headSize = width / heads;
  const half = headSize / 2;

  const norm = (x: Tensor, weight: Tensor): Tensor => {
    const square = np.mean(np.square(x.ref), -1, { keepdims: true });
    return x.div(np.sqrt(square.add(NORM_EPSILON))).mul(weight);
  };
  const toHeads = (x: Tensor, length: number): Tensor =>
    x.reshape([-1, length, heads, headSize]).transpose([0, 2, 1, 3]);
  const turn = (x: Tensor, cos: Tensor, sin: Tensor): Tensor => {
    const a = x.ref.slice([], [], [], [0, half]);
    const b = x.slice([], [], [], [half, headSize]);
    return np.concatenate([a.ref.mul(cos.ref).sub(b.ref.mul(sin.ref)), b.mul(cos).add(a.mul(sin))], -1);
  };
  const attend = (q: Tensor, k: Tensor, v: Tensor, mask: Tensor): Tensor => {
    const length = q.shape[2] as number;
    const scores = np.matmul(q.mul(1 / Math.sqrt(headSize)), k.transpose([0, 1, 3, 2])).add(mask);
    return np.matmul(nn.softmax(scores, -1), v).transpose([0, 2, 1, 3]).reshape([-1, length, width]);
  };

  return (parameters, batch) => {
    const { shift, norm: finalNorm, head, inputs, targets } = parameters;
    const [, length] = inputs.shape as [number, number, number];
    const picked = targets.shape[1] as number;
    const [taps] = shift.shape as [number, number];
    const behind = np.pad(inputs.ref, [
      [0, 0],
      [taps, 0],
      [0, 0],
    ]);
    let x: Tensor = inputs;
    for (let tap = 0; tap < taps; tap++) {
      const earlier = behind.ref.slice([], [taps - 1 - tap, taps - 1 - tap + length], []);
      x = x.add(earlier.mul(shift.ref.slice(tap)));
    }
    behind.dispose();
    shift.dispose();
    for (const [index, layer] of parameters.layers.entries()) {
      const last = index === layers - 1;
      const normed = norm(x.ref, layer.norm1);
      const picks = (of: Tensor) => (last ? np.matmul(batch.pick.ref, of) : of);
      const [cos, sin] = last ? [batch.pickedCos.ref, batch.pickedSin.ref] : [batch.cos.ref, batch.sin.ref];
      const q = turn(toHeads(np.matmul(picks(normed.ref), layer.query), last ? picked : length), cos, sin);
      const k = turn(toHeads(np.matmul(normed.ref, layer.key), length), batch.cos.ref, batch.sin.ref);
      const v = toHeads(np.matmul(normed, layer.value), length);
      const mixed = attend(q, k, v, last ? batch.pickedCausal.ref : batch.causal.ref);
      x = picks(x).add(np.matmul(mixed, layer.out));
      const hidden = np.square(nn.relu(np.matmul(norm(x.ref, layer.norm2), layer.up)));
      x = x.add(np.matmul(hidden, layer.down));
    }
    const y = norm(x, finalNorm);
    const logits = np.matmul(y.ref, head);
    const own = np.sum(y.mul(targets), -1);
    const loss = nn.logsumexp(logits, -1).sub(own);
    for (const constant of [
      batch.pick,
      batch.causal,
      batch.pickedCausal,
      batch.cos,
      batch.sin,
      batch.pickedCos,
      batch.pickedSin,
    ]) {
      constant.dispose();
    }
    return np.sum(loss.mul(batch.weight));
  };
}
