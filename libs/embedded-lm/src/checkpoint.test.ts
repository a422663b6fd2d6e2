import { describe, expect, test } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';
import { tensorShapes } from './config.ts';
import { TINY } from './testing.ts';
import { decodeWeights, encodeWeights, initialWeights } from './weights.ts';

const weights = initialWeights(TINY, 'checkpoint');

test('float32 comes back bit for bit, and the same weights make the same bytes', () => {
  const bytes = encodeWeights(weights, 'tok', 'f32');
  expect(decodeWeights(bytes, 'tok').data).toEqual(weights.data);
  expect(encodeWeights(decodeWeights(bytes, 'tok'), 'tok', 'f32')).toEqual(bytes);
});

test('int8 is within half a step of its row, and vectors stay exact', () => {
  const back = decodeWeights(encodeWeights(weights, 'tok', 'i8'), 'tok');
  for (const { name, shape } of tensorShapes(TINY)) {
    const [before, after] = [weights.tensor(name), back.tensor(name)];
    if (shape.length < 2) {
      expect(after).toEqual(before);
      continue;
    }
    const columns = shape[1] as number;
    for (let at = 0; at < before.length; at += columns) {
      const row = before.subarray(at, at + columns);
      const step = Math.max(...row.map(Math.abs)) / 127;
      row.forEach((value, i) => expect(Math.abs(value - (after[at + i] as number))).toBeLessThanOrEqual(step * 0.501));
    }
  }
});

describe('what is refused', () => {
  const bytes = encodeWeights(weights, 'tok', 'f32');
  const refused = (data: Uint8Array, code: string, tokenizer = 'tok') =>
    expect(() => decodeWeights(data, tokenizer)).toThrow(expect.objectContaining({ code }));

  test('one flipped bit of the payload', () => {
    const flipped = bytes.slice();
    flipped[flipped.length - 5] = (flipped[flipped.length - 5] as number) ^ 1;
    refused(flipped, 'LM_CHECKPOINT');
  });
  test('a cut file, an empty file, another file, trailing bytes', () => {
    refused(bytes.slice(0, -4), 'LM_CHECKPOINT');
    refused(bytes.slice(0, 40), 'LM_CHECKPOINT');
    refused(new Uint8Array(), 'LM_CHECKPOINT');
    refused(new TextEncoder().encode('{"not": "a checkpoint"}'), 'LM_CHECKPOINT');
    refused(Uint8Array.of(...bytes, 0, 0, 0, 0), 'LM_CHECKPOINT');
  });
  test('weights of another tokenizer', () => refused(bytes, 'LM_TOKENIZER', 'other'));
  test('another kind of state', () => {
    const checkpoint = { ...decodeCheckpoint(bytes), kind: 'adamw' as const };
    refused(encodeCheckpoint(checkpoint, 'f32'), 'LM_CHECKPOINT');
  });
  test('a tensor too few', () => {
    const checkpoint = decodeCheckpoint(bytes);
    refused(encodeCheckpoint({ ...checkpoint, tensors: checkpoint.tensors.slice(1) }, 'f32'), 'LM_WEIGHTS');
  });
});
