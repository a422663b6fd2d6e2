/**
 * A very small WebAssembly assembler: enough for the inference kernels, so that no binary and no toolchain is part of
 * the project. An expression is the list of bytes that leaves its value on the stack; operands come first.
 */
export type Code = readonly number[];

/** Value types as the binary format numbers them. */
export const I32 = 0x7f;
export const F32 = 0x7d;
export const V128 = 0x7b;
export type ValueType = typeof I32 | typeof F32 | typeof V128;

const unsigned = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
};

const signed = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
      bytes.push(low);
      return bytes;
    }
    bytes.push(low | 0x80);
  }
};

const float32Bytes = (value: number): number[] => [...new Uint8Array(new Float32Array([value]).buffer)];
const simd = (opcode: number): number[] => [0xfd, ...unsigned(opcode)];

const unary = (opcode: number[]) => (a: Code) => [...a, ...opcode];
const binary = (opcode: number[]) => (a: Code, b: Code) => [...a, ...b, ...opcode];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  add: binary([0x6a]),
  mul: binary([0x6c]),
  and: binary([0x71]),
  lessThan: binary([0x49]),
};

export const f32 = {
  const: (value: number): Code => [0x43, ...float32Bytes(value)],
  store: (address: Code, value: Code): Code => [...address, ...value, 0x38, 2, 0],
  add: binary([0x92]),
  div: binary([0x95]),
  max: binary([0x97]),
};

/** Vectors of four float32. Loads and stores take a constant byte offset. */
export const f32x4 = {
  load: (address: Code, offset = 0): Code => [...address, ...simd(0x00), 2, ...unsigned(offset)],
  /** One float32 from memory in all four lanes. */
  loadSplat: (address: Code, offset = 0): Code => [...address, ...simd(0x09), 2, ...unsigned(offset)],
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    ...simd(0x0b),
    2,
    ...unsigned(offset),
  ],
  const: (value: number): Code => {
    const lane = float32Bytes(value);
    return [...simd(0x0c), ...lane, ...lane, ...lane, ...lane];
  },
  splat: unary(simd(0x13)),
  lane: (value: Code, lane: number): Code => [...value, ...simd(0x1f), lane],
  storeLane: (address: Code, value: Code, lane: number, offset = 0): Code => [
    ...address,
    ...value,
    ...simd(0x5a),
    2,
    ...unsigned(offset),
    lane,
  ],
  nearest: unary(simd(0x6a)),
  add: binary(simd(0xe4)),
  sub: binary(simd(0xe5)),
  mul: binary(simd(0xe6)),
  max: binary(simd(0xe9)),
};

export const i32x4 = {
  const: (value: number): Code => {
    const lane = [...new Uint8Array(new Int32Array([value]).buffer)];
    return [...simd(0x0c), ...lane, ...lane, ...lane, ...lane];
  },
  add: binary(simd(0xae)),
  shiftLeft: (value: Code, bits: number): Code => [...value, ...i32.const(bits), ...simd(0xab)],
  truncate: unary(simd(0xf8)),
};

/** One function while it is written: parameters are i32, locals are declared as they are needed. */
export class FunctionWriter {
  readonly name: string;
  readonly parameters: number;
  readonly #locals: ValueType[] = [];
  readonly #code: number[] = [];

  constructor(name: string, parameters: number) {
    this.name = name;
    this.parameters = parameters;
  }

  local(type: ValueType): number {
    this.#locals.push(type);
    return this.parameters + this.#locals.length - 1;
  }

  emit(...codes: readonly Code[]): void {
    for (const code of codes) for (const byte of code) this.#code.push(byte);
  }

  get(local: number): Code {
    return [0x20, ...unsigned(local)];
  }

  set(local: number, value: Code): void {
    this.emit(value, [0x21, ...unsigned(local)]);
  }

  /** `for (local = from; local < to; local += step) body()`; the body runs at least once unless `from >= to`. */
  loop(local: number, from: Code, to: Code, step: Code, body: () => void): void {
    this.set(local, from);
    this.emit([0x02, 0x40]);
    this.emit(i32.lessThan(this.get(local), to), [0x45, 0x0d, 0]);
    this.emit([0x03, 0x40]);
    body();
    this.set(local, i32.add(this.get(local), step));
    this.emit(i32.lessThan(this.get(local), to), [0x0d, 0]);
    this.emit([0x0b, 0x0b]);
  }

  body(): number[] {
    const locals = this.#locals.flatMap((type) => [1, type]);
    const bytes = [...unsigned(this.#locals.length), ...locals, ...this.#code, 0x0b];
    return [...unsigned(bytes.length), ...bytes];
  }
}

/** The bytes of a module that imports `env.memory` (of at least `pages` pages) and exports the given functions. */
export function assembleModule(functions: readonly FunctionWriter[], pages: number): Uint8Array {
  const text = (value: string) => {
    const bytes = [...new TextEncoder().encode(value)];
    return [...unsigned(bytes.length), ...bytes];
  };
  const vector = (items: readonly Code[]) => [...unsigned(items.length), ...items.flat()];
  const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content];

  const types = functions.map((f) => [0x60, ...vector(Array.from({ length: f.parameters }, () => [I32])), 0]);
  const imports = [[...text('env'), ...text('memory'), 0x02, 0x00, ...unsigned(pages)]];
  const exports = functions.map((f, index) => [...text(f.name), 0x00, ...unsigned(index)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(2, vector(imports)),
    ...section(3, vector(functions.map((_, index) => unsigned(index)))),
    ...section(7, vector(exports)),
    ...section(10, vector(functions.map((f) => f.body()))),
  ]);
}
