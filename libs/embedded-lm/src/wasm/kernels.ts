/**
 * The inner loops of inference as WebAssembly SIMD.
 *
 * 1. A row of the result depends on that row of the input only: whatever stands in the other rows, and however many
 *    there are, the same operations run in the same order, so its bits are the same.
 * 2. Only IEEE multiplication, addition and maximum are used, no fused or relaxed operation: the same bits on every
 *    machine and Node version.
 */
import { F32, f32, f32x4, FunctionWriter, i32, I32, i32x4, V128, type Code } from './assembler.ts';

/** Rows that `matmul` handles at a time: buffers hold a multiple of it, the rows beyond the last are ignored. */
export const ROW_TILE = 4;
/** Columns of one packed tile of a matrix. */
export const COLUMN_TILE = 8;

/**
 * Packs a row-major [inputs, outputs] matrix for `matmul`: tiles of 8 columns, each tile [inputs, 8] contiguous.
 */
export function packMatrix(source: Float32Array, inputs: number, outputs: number, target: Float32Array): void {
  let at = 0;
  for (let column = 0; column < outputs; column += COLUMN_TILE) {
    for (let row = 0; row < inputs; row++) {
      for (let c = 0; c < COLUMN_TILE; c++) target[at++] = source[row * outputs + column + c] ?? 0;
    }
  }
}

/** What becomes of the sums of a matrix product. */
export type Epilogue = 'store' | 'add' | 'squared-relu';

/**
 * `name(x, w, y, rows)`: y[rows, outputs] = x[rows, inputs] · w; 'add' gives y + x · w, 'squared-relu' max(0, x · w)².
 * Addresses in bytes; w is packed. Each element is summed over the inputs in ascending order.
 */
export function matmul(name: string, inputs: number, outputs: number, epilogue: Epilogue): FunctionWriter {
  const f = new FunctionWriter(name, 4);
  const [x, w, y, rows] = [0, 1, 2, 3];
  const [row, tile, k, xAt, wAt, yAt] = [0, 1, 2, 3, 4, 5].map(() => f.local(I32)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const sums = Array.from({ length: ROW_TILE }, () => [f.local(V128), f.local(V128)] as const);
  const [w0, w1, s] = [f.local(V128), f.local(V128), f.local(V128)];
  const zero = f32x4.const(0);

  f.loop(row, i32.const(0), f.get(rows), i32.const(ROW_TILE), () => {
    f.set(wAt, f.get(w));
    f.loop(tile, i32.const(0), i32.const(outputs / COLUMN_TILE), i32.const(1), () => {
      f.set(xAt, i32.add(f.get(x), i32.mul(f.get(row), i32.const(4 * inputs))));
      for (const [a, b] of sums) {
        f.set(a, zero);
        f.set(b, zero);
      }
      const unroll = 4;
      f.loop(k, i32.const(0), i32.const(inputs), i32.const(unroll), () => {
        for (let u = 0; u < unroll; u++) {
          f.set(w0, f32x4.load(f.get(wAt), 32 * u));
          f.set(w1, f32x4.load(f.get(wAt), 32 * u + 16));
          sums.forEach(([a, b], r) => {
            f.set(s, f32x4.loadSplat(f.get(xAt), 4 * (r * inputs + u)));
            f.set(a, f32x4.add(f.get(a), f32x4.mul(f.get(s), f.get(w0))));
            f.set(b, f32x4.add(f.get(b), f32x4.mul(f.get(s), f.get(w1))));
          });
        }
        f.set(xAt, i32.add(f.get(xAt), i32.const(4 * unroll)));
        f.set(wAt, i32.add(f.get(wAt), i32.const(32 * unroll)));
      });
      f.set(
        yAt,
        i32.add(
          i32.add(f.get(y), i32.mul(f.get(row), i32.const(4 * outputs))),
          i32.mul(f.get(tile), i32.const(4 * COLUMN_TILE)),
        ),
      );
      sums.forEach(([a, b], r) => {
        for (const [half, sum] of [a, b].entries()) {
          const offset = 4 * r * outputs + 16 * half;
          if (epilogue === 'add') f.set(sum, f32x4.add(f32x4.load(f.get(yAt), offset), f.get(sum)));
          if (epilogue === 'squared-relu') {
            f.set(sum, f32x4.max(f.get(sum), zero));
            f.set(sum, f32x4.mul(f.get(sum), f.get(sum)));
          }
          f.emit(f32x4.store(f.get(yAt), f.get(sum), offset));
        }
      });
    });
  });
  return f;
}

/** e^x for four lanes, x ≤ 0; below −80 it answers e^−80. Cephes' range reduction and polynomial, 1 ulp or so. */
function exponential(f: FunctionWriter, x: number, scratch: number, argument: Code): Code {
  const { const: c, mul, add, sub } = f32x4;
  f.set(x, f32x4.max(argument, c(-80)));
  f.set(scratch, f32x4.nearest(mul(f.get(x), c(1.44269504088896341))));
  f.set(x, sub(f.get(x), mul(f.get(scratch), c(0.693359375))));
  f.set(x, sub(f.get(x), mul(f.get(scratch), c(-2.1219444e-4))));
  const coefficients = [1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1];
  const polynomial = coefficients.reduce<Code>((sum, next) => add(mul(sum, f.get(x)), c(next)), c(1.98756915e-4));
  const mantissa = add(add(mul(polynomial, mul(f.get(x), f.get(x))), f.get(x)), c(1));
  const power = i32x4.shiftLeft(i32x4.add(i32x4.truncate(f.get(scratch)), i32x4.const(127)), 23);
  return mul(mantissa, power);
}

/**
 * `rotate(qkv, cos, sin, keys)` for one position: turns the query in place and scales it by 1/√headSize, and writes the
 * turned key as a column of the transposed keys. `cos` and `sin` point at headSize / 2 floats of the position, `keys`
 * at its column. Addresses in bytes.
 */
export function rotate({ heads, headSize, stride }: AttentionShape): FunctionWriter {
  const f = new FunctionWriter('rotate', 4);
  const [qkv, cos, sin, keys] = [0, 1, 2, 3];
  const [a, b, c, s] = [f.local(V128), f.local(V128), f.local(V128), f.local(V128)];
  const { add, sub, mul } = f32x4;
  const width = heads * headSize;
  const scale = f32x4.const(1 / Math.sqrt(headSize));
  for (let d = 0; d < width; d += 4) {
    const pair = d % headSize;
    if (pair >= headSize / 2) continue;
    const far = d + headSize / 2;
    f.set(c, f32x4.load(f.get(cos), 4 * pair));
    f.set(s, f32x4.load(f.get(sin), 4 * pair));
    const turn = () => [
      sub(mul(f.get(a), f.get(c)), mul(f.get(b), f.get(s))),
      add(mul(f.get(b), f.get(c)), mul(f.get(a), f.get(s))),
    ];
    f.set(a, f32x4.load(f.get(qkv), 4 * d));
    f.set(b, f32x4.load(f.get(qkv), 4 * far));
    for (const [half, turned] of turn().entries()) {
      f.emit(f32x4.store(f.get(qkv), mul(turned, scale), 4 * (half === 0 ? d : far)));
    }
    f.set(a, f32x4.load(f.get(qkv), 4 * (width + d)));
    f.set(b, f32x4.load(f.get(qkv), 4 * (width + far)));
    for (const [half, turned] of turn().entries()) {
      const first = half === 0 ? d : far;
      for (let lane = 0; lane < 4; lane++) {
        f.emit(f32x4.storeLane(f.get(keys), turned, lane, 4 * (first + lane) * stride));
      }
    }
  }
  return f;
}

export interface AttentionShape {
  heads: number;
  headSize: number;
  /** Row length of the transposed keys in floats: the context rounded up to a multiple of 4. */
  stride: number;
}

/**
 * `attention(q, keys, values, out, scores, count)` for one position: softmax(q·K)·V over the first `count` positions.
 * q and out are [heads × headSize] (q already scaled), keys [heads × headSize, stride] transposed, values
 * [stride, heads × headSize], scores scratch of `stride` floats. Addresses in bytes.
 */
export function attention({ heads, headSize, stride }: AttentionShape): FunctionWriter {
  const f = new FunctionWriter('attention', 6);
  const [q, keys, values, out, scores, count] = [0, 1, 2, 3, 4, 5];
  const [head, j, at, end, fullEnd] = [f.local(I32), f.local(I32), f.local(I32), f.local(I32), f.local(I32)];
  const [sum, high, x, scratch] = [f.local(V128), f.local(V128), f.local(V128), f.local(V128)];
  const [top, total] = [f.local(F32), f.local(F32)];
  const accumulators = Array.from({ length: headSize / 4 }, () => f.local(V128));
  const width = heads * headSize;
  const lanes = (value: Code, join: (a: Code, b: Code) => Code): Code =>
    join(join(f32x4.lane(value, 0), f32x4.lane(value, 1)), join(f32x4.lane(value, 2), f32x4.lane(value, 3)));

  f.set(end, i32.mul(f.get(count), i32.const(4)));
  f.set(fullEnd, i32.and(i32.add(f.get(end), i32.const(15)), i32.const(-16)));
  f.loop(head, i32.const(0), i32.const(heads), i32.const(1), () => {
    f.set(high, f32x4.const(-3e38));
    f.loop(j, i32.const(0), f.get(fullEnd), i32.const(16), () => {
      f.set(at, i32.add(f.get(keys), f.get(j)));
      f.set(sum, f32x4.mul(f32x4.loadSplat(f.get(q)), f32x4.load(f.get(at))));
      for (let d = 1; d < headSize; d++) {
        const product = f32x4.mul(f32x4.loadSplat(f.get(q), 4 * d), f32x4.load(f.get(at), 4 * d * stride));
        f.set(sum, f32x4.add(f.get(sum), product));
      }
      f.emit(f32x4.store(i32.add(f.get(scores), f.get(j)), f.get(sum)));
    });
    // The lanes past the last position hold whatever an earlier sequence left there.
    f.loop(j, f.get(end), f.get(fullEnd), i32.const(4), () => {
      f.emit(f32.store(i32.add(f.get(scores), f.get(j)), f32.const(-3e38)));
    });
    f.loop(j, i32.const(0), f.get(fullEnd), i32.const(16), () => {
      f.set(high, f32x4.max(f.get(high), f32x4.load(i32.add(f.get(scores), f.get(j)))));
    });
    f.set(top, lanes(f.get(high), f32.max));
    f.set(high, f32x4.splat(f.get(top)));
    f.set(sum, f32x4.const(0));
    f.loop(j, i32.const(0), f.get(fullEnd), i32.const(16), () => {
      f.set(at, i32.add(f.get(scores), f.get(j)));
      f.set(x, exponential(f, x, scratch, f32x4.sub(f32x4.load(f.get(at)), f.get(high))));
      f.set(sum, f32x4.add(f.get(sum), f.get(x)));
      f.emit(f32x4.store(f.get(at), f.get(x)));
    });
    f.set(total, lanes(f.get(sum), f32.add));
    for (const a of accumulators) f.set(a, f32x4.const(0));
    f.set(at, f.get(values));
    f.loop(j, i32.const(0), f.get(end), i32.const(4), () => {
      f.set(x, f32x4.loadSplat(i32.add(f.get(scores), f.get(j))));
      accumulators.forEach((a, d) => {
        f.set(a, f32x4.add(f.get(a), f32x4.mul(f.get(x), f32x4.load(f.get(at), 16 * d))));
      });
      f.set(at, i32.add(f.get(at), i32.const(4 * width)));
    });
    f.set(x, f32x4.splat(f32.div(f32.const(1), f.get(total))));
    accumulators.forEach((a, d) => {
      f.emit(f32x4.store(f.get(out), f32x4.mul(f.get(a), f.get(x)), 16 * d));
    });
    f.set(q, i32.add(f.get(q), i32.const(4 * headSize)));
    f.set(out, i32.add(f.get(out), i32.const(4 * headSize)));
    f.set(values, i32.add(f.get(values), i32.const(4 * headSize)));
    f.set(keys, i32.add(f.get(keys), i32.const(4 * headSize * stride)));
  });
  return f;
}
