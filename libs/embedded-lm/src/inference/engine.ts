import { WhaleError } from '@whale/kernel';
import { checkConfig, sizeOf, tensorShapes, type LmConfig } from '../config.ts';
import { rotaryTable } from '../rotary.ts';
import type { Weights } from '../weights.ts';
import { wasmRuntime } from '../wasm/runtime.ts';
import { assembleModule } from '../wasm/assembler.ts';
import { attention, matmul, packMatrix, rotate, ROW_TILE } from '../wasm/kernels.ts';

/** One token to run through the model: it is appended to sequence `slot` at `position`. */
export interface Row {
  slot: number;
  position: number;
  token: number;
  /** The tokens before it, the nearest first: `taps` of them, fewer at the start of the sequence. */
  before: readonly number[];
}

export interface EngineOptions {
  /** Sequences whose keys and values are held. */
  slots: number;
  /** Most rows of one `forward`. */
  maxRows: number;
  /** Weight versions held at the same time. */
  banks: number;
}

type Kernel = (x: number, w: number, y: number, rows: number) => void;

interface Kernels {
  qkv: Kernel;
  out: Kernel;
  up: Kernel;
  down: Kernel;
  head: Kernel;
  rotate(qkv: number, cos: number, sin: number, keys: number): void;
  attention(q: number, keys: number, values: number, out: number, scores: number, count: number): void;
}

export const NORM_EPSILON = 1e-5;

/**
 * The forward pass for sampling, on hand-written WebAssembly kernels (ADR 0004).
 *
 * 1. What a row yields depends on the weights, its own token and the rows before it in the same slot; never on the
 *    other rows of the call, on their number, or on how a sequence is split into calls. So batching, prefix reuse and
 *    the number of workers do not change a single bit of a generation.
 */
export class InferenceEngine {
  readonly config: LmConfig;
  readonly #kernels: Kernels;
  readonly #heap: Float32Array;
  readonly #stride: number;
  readonly #maxRows: number;
  readonly #bankFloats: number;
  /** Offsets in floats. */
  readonly #at: { banks: number; keys: number; values: number; slot: number; layer: number } & Buffers;

  constructor(config: LmConfig, options: EngineOptions) {
    checkConfig(config);
    this.config = config;
    const { width, hidden, vocab, context, layers, heads } = config;
    this.#stride = Math.ceil(context / 4) * 4;
    this.#maxRows = Math.ceil(options.maxRows / ROW_TILE) * ROW_TILE;
    const rotary = rotaryTable(config);
    this.#bankFloats = tensorShapes(config).reduce((sum, t) => sum + sizeOf(t.shape), 0) + vocab * width;

    let next = 4;
    const reserve = (floats: number) => {
      const at = next;
      next += Math.ceil(floats / 4) * 4;
      return at;
    };
    const rows = this.#maxRows;
    const layer = 2 * this.#stride * width;
    this.#at = {
      banks: reserve(options.banks * this.#bankFloats),
      keys: reserve(options.slots * layers * layer),
      values: this.#stride * width,
      slot: layers * layer,
      layer,
      x: reserve(rows * width),
      normed: reserve(rows * width),
      qkv: reserve(rows * 3 * width),
      mixed: reserve(rows * width),
      hidden: reserve(rows * hidden),
      logits: reserve(rows * vocab),
      scores: reserve(this.#stride),
      cos: reserve(rotary.cos.length),
      sin: reserve(rotary.sin.length),
    };
    const pages = Math.ceil((next * 4) / 65536);
    const memory = new wasmRuntime.Memory({ initial: pages });
    this.#heap = new Float32Array(memory.buffer);
    this.#heap.set(rotary.cos, this.#at.cos);
    this.#heap.set(rotary.sin, this.#at.sin);
    const bytes = assembleModule(
      [
        matmul('qkv', width, 3 * width, 'store'),
        matmul('out', width, width, 'add'),
        matmul('up', width, hidden, 'squared-relu'),
        matmul('down', hidden, width, 'add'),
        matmul('head', width, vocab, 'store'),
        rotate({ heads, headSize: width / heads, stride: this.#stride }),
        attention({ heads, headSize: width / heads, stride: this.#stride }),
      ],
      pages,
    );
    const module = new wasmRuntime.Module(bytes);
    this.#kernels = new wasmRuntime.Instance(module, { env: { memory } }).exports as unknown as Kernels;
  }

  /** Puts a version into a bank, replacing what was there. Matrices are packed for the kernels. */
  load(bank: number, weights: Weights): void {
    if (JSON.stringify(weights.config) !== JSON.stringify(this.config)) {
      throw new WhaleError('LM_CONFIG', `weights are of sizes ${JSON.stringify(weights.config)}, the engine is not`);
    }
    let at = this.#at.banks + bank * this.#bankFloats;
    for (const { name, shape } of tensorShapes(this.config)) {
      const source = weights.tensor(name);
      const [inputs = 0, outputs] = shape;
      const target = this.#heap.subarray(at, at + source.length);
      if (outputs === undefined || name === 'embed' || name === 'shift') target.set(source);
      else packMatrix(source, inputs, outputs, target);
      at += source.length;
    }
    const { vocab, width } = this.config;
    const transposed = new Float32Array(vocab * width);
    const embed = weights.tensor('embed');
    for (let token = 0; token < vocab; token++) {
      for (let d = 0; d < width; d++) transposed[d * vocab + token] = embed[token * width + d] as number;
    }
    packMatrix(transposed, width, vocab, this.#heap.subarray(at, at + vocab * width));
  }

  /** Copies keys and values of the first `count` positions of a slot into another. */
  copyPrefix(from: number, to: number, count: number): void {
    const { width, layers } = this.config;
    for (let layer = 0; layer < layers; layer++) {
      const source = this.#at.keys + from * this.#at.slot + layer * this.#at.layer;
      const target = this.#at.keys + to * this.#at.slot + layer * this.#at.layer;
      for (let d = 0; d < width; d++) {
        const at = d * this.#stride;
        this.#heap.copyWithin(target + at, source + at, source + at + count);
      }
      const values = this.#at.values;
      this.#heap.copyWithin(target + values, source + values, source + values + count * width);
    }
  }

  /**
   * Runs rows through the model, at most `maxRows`. Rows of one slot must stand in ascending position, and every
   * earlier position of the slot must have been run before or stand earlier in `rows`.
   * @returns with `wantLogits` the logits [rows, vocab], a view that the next call overwrites.
   */
  forward(bank: number, rows: readonly Row[], wantLogits: boolean): Float32Array {
    const { width, hidden, vocab, layers, taps } = this.config;
    const heap = this.#heap;
    const at = this.#at;
    const n = rows.length;
    if (n > this.#maxRows) throw new WhaleError('LM_ROWS', `${n} rows at once, at most ${this.#maxRows} fit`);
    const base = at.banks + bank * this.#bankFloats;
    let weight = base;
    const take = (floats: number) => {
      const here = weight;
      weight += floats;
      return here;
    };
    const embed = take(vocab * width);
    const shift = take(taps * width);
    for (let i = 0; i < n; i++) {
      const { token, before } = rows[i] as Row;
      const own = embed + token * width;
      const x = at.x + i * width;
      heap.copyWithin(x, own, own + width);
      for (const [tap, earlier] of before.entries()) {
        for (let d = 0; d < width; d++) {
          const product = (heap[embed + earlier * width + d] as number) * (heap[shift + tap * width + d] as number);
          heap[x + d] = (heap[x + d] as number) + Math.fround(product);
        }
      }
    }
    for (let layer = 0; layer < layers; layer++) {
      this.#norm(n, take(width));
      this.#kernels.qkv(at.normed * 4, take(3 * width * width) * 4, at.qkv * 4, n);
      this.#attend(layer, rows);
      this.#kernels.out(at.mixed * 4, take(width * width) * 4, at.x * 4, n);
      this.#norm(n, take(width));
      this.#kernels.up(at.normed * 4, take(width * hidden) * 4, at.hidden * 4, n);
      this.#kernels.down(at.hidden * 4, take(hidden * width) * 4, at.x * 4, n);
    }
    if (!wantLogits) return heap.subarray(at.logits, at.logits);
    this.#norm(n, take(width));
    this.#kernels.head(at.normed * 4, take(width * vocab) * 4, at.logits * 4, n);
    return heap.subarray(at.logits, at.logits + n * vocab);
  }

  /** normed = x / rms(x) · weight, for the first n rows. */
  #norm(n: number, weight: number): void {
    const { width } = this.config;
    const heap = this.#heap;
    const { x, normed } = this.#at;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let d = 0, from = x + i * width; d < width; d++) {
        const value = heap[from + d] as number;
        sum += value * value;
      }
      const scale = 1 / Math.sqrt(sum / width + NORM_EPSILON);
      for (let d = 0; d < width; d++) {
        heap[normed + i * width + d] = (heap[x + i * width + d] as number) * scale * (heap[weight + d] as number);
      }
    }
  }

  /** Turns queries and keys, appends keys and values to the slots, then attends row by row. */
  #attend(layer: number, rows: readonly Row[]): void {
    const { width, heads } = this.config;
    const half = width / heads / 2;
    const heap = this.#heap;
    const store = (row: Row) => this.#at.keys + row.slot * this.#at.slot + layer * this.#at.layer;
    rows.forEach((row, i) => {
      const qkv = this.#at.qkv + i * 3 * width;
      const angle = row.position * half;
      const { cos, sin } = this.#at;
      this.#kernels.rotate(qkv * 4, (cos + angle) * 4, (sin + angle) * 4, (store(row) + row.position) * 4);
      const values = store(row) + this.#at.values + row.position * width;
      heap.copyWithin(values, qkv + 2 * width, qkv + 3 * width);
    });
    rows.forEach((row, i) => {
      this.#kernels.attention(
        (this.#at.qkv + i * 3 * width) * 4,
        store(row) * 4,
        (store(row) + this.#at.values) * 4,
        (this.#at.mixed + i * width) * 4,
        this.#at.scores * 4,
        row.position + 1,
      );
    });
  }
}

/** Working memory, as offsets in floats. */
interface Buffers {
  x: number;
  normed: number;
  qkv: number;
  mixed: number;
  hidden: number;
  logits: number;
  scores: number;
  cos: number;
  sin: number;
}
