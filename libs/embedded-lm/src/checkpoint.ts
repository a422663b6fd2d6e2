/**
 * Checkpoint files. Little-endian throughout:
 *
 *     bytes 0–7   'WHALELM1'
 *     bytes 8–11  u32, length of the header
 *     header      JSON, UTF-8, padded with spaces so that the payload starts at a multiple of 4
 *     payload     the tensors in header order
 *
 * Encoding `f32`: each tensor as float32. Encoding `i8`: matrices as one float32 scale a row, then the rows as int8
 * (value = scale · integer), padded to a multiple of 4; vectors as float32. The header carries the payload's sha256.
 */
import { sha256, WhaleError } from '@whale/kernel';
import { z } from 'zod';
import { checkConfig, sizeOf, type LmConfig, type TensorShape } from './config.ts';

const MAGIC = 'WHALELM1';

const size = z.int().positive();
const Header = z.strictObject({
  kind: z.enum(['weights', 'adamw']),
  encoding: z.enum(['f32', 'i8']),
  config: z.strictObject({
    vocab: size,
    context: size,
    width: size,
    layers: size,
    heads: size,
    hidden: size,
    taps: size,
  }),
  /** Hash of the tokenizer that the model reads and writes. */
  tokenizer: z.string(),
  /** Updates behind this state; 0 for weights. */
  step: z.int().nonnegative(),
  tensors: z.array(z.strictObject({ name: z.string(), shape: z.array(size) })),
  sha256: z.string(),
});

export interface Checkpoint {
  kind: 'weights' | 'adamw';
  config: LmConfig;
  tokenizer: string;
  step: number;
  tensors: (TensorShape & { data: Float32Array })[];
}

export function encodeCheckpoint(checkpoint: Checkpoint, encoding: 'f32' | 'i8'): Uint8Array {
  const { tensors, kind, config, tokenizer, step } = checkpoint;
  const parts = tensors.map(({ shape, data }) => (encoding === 'i8' ? quantise(shape, data) : bytesOf(data)));
  const payload = new Uint8Array(Buffer.concat(parts));
  const shapes = tensors.map(({ name, shape }) => ({ name, shape: [...shape] }));
  const header: z.infer<typeof Header> = {
    kind,
    encoding,
    config,
    tokenizer,
    step,
    tensors: shapes,
    sha256: sha256(payload),
  };
  let text = JSON.stringify(header);
  text += ' '.repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const start = Buffer.alloc(12);
  start.write(MAGIC, 'latin1');
  start.writeUInt32LE(Buffer.byteLength(text), 8);
  return new Uint8Array(Buffer.concat([start, Buffer.from(text), payload]));
}

/** Throws WhaleError LM_CHECKPOINT for anything that is not a whole, unchanged checkpoint. */
export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 12 || buffer.toString('latin1', 0, 8) !== MAGIC) bad('it does not start with ' + MAGIC);
  const start = 12 + buffer.readUInt32LE(8);
  if (start > buffer.length) bad('its header is cut off');
  const parsed = Header.safeParse(parseJson(buffer.toString('utf8', 12, start)));
  if (!parsed.success) return bad(`its header is wrong: ${z.prettifyError(parsed.error)}`);
  const { encoding, sha256: expected, ...header } = parsed.data;
  checkConfig(header.config);
  const payload = new Uint8Array(buffer.subarray(start));
  if (sha256(payload) !== expected) bad('its payload does not have the sha256 of the header');
  let at = 0;
  const take = (count: number) => {
    if (at + count > payload.length) bad('its payload is shorter than its tensors');
    return payload.subarray(at, (at += count));
  };
  const tensors = header.tensors.map(({ name, shape }) => {
    const data = encoding === 'i8' ? dequantise(shape, take) : floatsOf(take(4 * sizeOf(shape)));
    return { name, shape, data };
  });
  if (at !== payload.length) bad('its payload is longer than its tensors');
  return { ...header, tensors };
}

function quantise(shape: readonly number[], data: Float32Array): Uint8Array {
  const [rows = 1] = shape;
  if (shape.length < 2) return bytesOf(data);
  const columns = data.length / rows;
  const scales = new Float32Array(rows);
  const integers = new Int8Array(Math.ceil(data.length / 4) * 4);
  for (let row = 0; row < rows; row++) {
    const values = data.subarray(row * columns, (row + 1) * columns);
    const scale = Math.fround(values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127);
    scales[row] = scale;
    values.forEach((value, i) => {
      integers[row * columns + i] = scale === 0 ? 0 : Math.max(-127, Math.min(127, Math.round(value / scale)));
    });
  }
  return new Uint8Array(Buffer.concat([bytesOf(scales), bytesOf(integers)]));
}

function dequantise(shape: readonly number[], take: (count: number) => Uint8Array): Float32Array {
  const [rows = 1] = shape;
  const length = sizeOf(shape);
  if (shape.length < 2) return floatsOf(take(4 * length));
  const scales = floatsOf(take(4 * rows));
  const bytes = take(Math.ceil(length / 4) * 4);
  const integers = new Int8Array(bytes.buffer, bytes.byteOffset, length);
  return Float32Array.from(integers, (integer, i) => integer * (scales[Math.floor(i / (length / rows))] as number));
}

function bytesOf(data: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function floatsOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bad(why: string): never {
  throw new WhaleError('LM_CHECKPOINT', `this is not a checkpoint of the embedded model: ${why}`);
}
