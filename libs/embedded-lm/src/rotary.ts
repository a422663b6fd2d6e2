import type { LmConfig } from './config.ts';

/** Each pair of dimensions turns this much slower than the one before it. */
const RATIO = 0.42;

export interface RotaryTable {
  /** [context, headSize / 2] row-major. */
  cos: Float32Array;
  sin: Float32Array;
}

/**
 * Rotary position angles. Built from multiplications and additions only, since `Math.cos` differs between versions of
 * V8 and these bits decide whether two machines sample the same tokens.
 */
export function rotaryTable(config: LmConfig): RotaryTable {
  const half = config.width / config.heads / 2;
  const cos = new Float32Array(config.context * half);
  const sin = new Float32Array(config.context * half);
  let angle = 1;
  for (let pair = 0; pair < half; pair++) {
    const [stepCos, stepSin] = taylor(angle);
    let [c, s] = [1, 0];
    for (let position = 0; position < config.context; position++) {
      cos[position * half + pair] = c;
      sin[position * half + pair] = s;
      [c, s] = [c * stepCos - s * stepSin, c * stepSin + s * stepCos];
    }
    angle *= RATIO;
  }
  return { cos, sin };
}

/** Cosine and sine of 0 < angle ≤ 1 by their series. */
function taylor(angle: number): [number, number] {
  let [cos, sin, term] = [0, 0, 1];
  for (let n = 0; n < 24; n += 4) {
    cos += term;
    term *= angle / (n + 1);
    sin += term;
    term *= angle / (n + 2);
    cos -= term;
    term *= angle / (n + 3);
    sin -= term;
    term *= angle / (n + 4);
  }
  return [cos, sin];
}
