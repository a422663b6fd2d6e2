import { describe, expect, it } from 'vitest';
import { regionsOf, withVariant } from './regions.ts';

const source = `const before = 1;
// region query: raw
const query = 1;
// endregion
// region finish: cut
const finish = 2;
// endregion
`;

describe('regions of a harness', () => {
  it('are read with slot, variant and text', () => {
    expect(regionsOf(source)).toEqual([
      { slot: 'query', variant: 'raw', text: 'const query = 1;' },
      { slot: 'finish', variant: 'cut', text: 'const finish = 2;' },
    ]);
  });

  it('are exchanged one at a time, and back', () => {
    const other = withVariant(source, { slot: 'query', name: 'terse', source: "const query = '$1 $&';\n" });
    expect(other).toContain("// region query: terse\nconst query = '$1 $&';\n// endregion");
    expect(withVariant(other, { slot: 'query', name: 'raw', source: 'const query = 1;' })).toBe(source);
  });

  it.each([
    ['an unclosed region', source.replace('// endregion', '')],
    ['a slot with two regions', source.replace('finish: cut', 'query: cut')],
  ])('refuse %s', (_, broken) => {
    expect(() => regionsOf(broken)).toThrow(/region/u);
  });

  it('refuse a variant without a region', () => {
    expect(() => withVariant(source, { slot: 'loop', name: 'x', source: '' })).toThrow(/no region for slot loop/u);
  });
});
