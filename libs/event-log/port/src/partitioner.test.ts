import { describe, expect, it } from 'vitest';
import { murmur2, partitionForKey } from './partitioner.ts';

describe('partitioner', () => {
  it.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
  ])("L1: murmur2 of '%s' is Kafka's", (text, hash) => {
    expect(murmur2(new TextEncoder().encode(text))).toBe(hash);
  });

  it('L1: takes the bytes of a view into a larger buffer', () => {
    const large = new TextEncoder().encode('..foobar..');
    expect(murmur2(large.subarray(2, 8))).toBe(-790_332_482);
  });

  it('L1: drops the sign bit instead of taking the absolute value', () => {
    expect(partitionForKey('21', 6)).toBe((-973_932_308 & 0x7fffffff) % 6);
    expect(partitionForKey('', 1)).toBe(0);
  });
});
