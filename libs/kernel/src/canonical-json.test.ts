import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalHash, canonicalJson, sha256 } from './canonical-json.ts';

describe('RFC 8785', () => {
  test('the sample of section 3.2.2', () => {
    const sample = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('keys are sorted by UTF-16 code units, as in section 3.2.3', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const object = Object.fromEntries(keys.map((key) => [key, 0]));
    const sorted = [...canonicalJson(object).matchAll(/"((?:\\r|[^"])+)":0/g)].map(([, key]) => key);
    expect(sorted).toEqual(['\\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
  ])('the number %s of appendix B is %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  test.each<[string, unknown]>([
    ['NaN', NaN],
    ['an infinity inside', { a: [Infinity] }],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a bigint', 1n],
  ])('%s has no JSON form', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

test('the hash does not depend on the order of keys, and on everything else', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      const backwards = Object.fromEntries(Object.entries(object).reverse());
      expect(canonicalHash(backwards)).toBe(canonicalHash(object));
      expect(canonicalHash({ ...object, more: 1, [Object.keys(object)[0] as string]: 'other' })).not.toBe(
        canonicalHash(object),
      );
    }),
  );
});

test('canonical text parses back to the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
    }),
  );
});

test('sha256 of text is that of its UTF-8 bytes', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('θ')).toBe(sha256(new TextEncoder().encode('θ')));
});
