import { regionsOf } from '@whale/domain-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { componentAt, componentKey, parseComponents, replaceComponents } from './components.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/u);
/** Any text of lines that are no markers. */
const text = fc
  .array(
    fc.string({ unit: 'binary' }).map((line) => line.replace(/[\r\n\u2028\u2029]|\/\//gu, '~')),
    { maxLength: 4 },
  )
  .map((lines) => lines.map((line) => `${line}\n`).join(''));
const file = fc
  .record({
    before: text,
    regions: fc.uniqueArray(
      fc.record({ slot: name, variant: name, blanks: fc.constantFrom('', ' ', '\t '), text, between: text }),
      { selector: ({ slot }) => slot, maxLength: 5 },
    ),
  })
  .map(({ before, regions }) => ({
    regions,
    source:
      before +
      regions
        .map(
          (region) =>
            `// region ${region.slot}: ${region.variant}${region.blanks}\n${region.text}// endregion\n${region.between}`,
        )
        .join(''),
  }));

describe('components of a harness source', () => {
  it('are what the source was made of', () => {
    fc.assert(
      fc.property(file, ({ source, regions }) => {
        expect(parseComponents(source)).toEqual(regions.map(({ slot, variant, text }) => ({ slot, variant, text })));
      }),
    );
  });

  it('give the source back, byte for byte, when put in their own places', () => {
    fc.assert(
      fc.property(file, ({ source }) => {
        expect(replaceComponents(source, parseComponents(source))).toBe(source);
      }),
    );
  });

  it('are exchanged without touching anything else, and back', () => {
    fc.assert(
      fc.property(file, name, text, ({ source, regions }, variant, replacement) => {
        const [own] = parseComponents(source);
        fc.pre(own !== undefined);
        const changed = replaceComponents(source, [{ slot: own.slot, variant, text: replacement }]);
        expect(parseComponents(changed)).toEqual([
          { slot: own.slot, variant, text: replacement },
          ...regions.slice(1).map(({ slot, variant: other, text: kept }) => ({ slot, variant: other, text: kept })),
        ]);
        expect(replaceComponents(changed, [own])).toBe(source);
      }),
    );
  });

  it('agree with regionsOf where it refuses nothing', () => {
    fc.assert(
      fc.property(file, ({ source }) => {
        const trimmed = parseComponents(source).map((component) => ({
          ...component,
          text: component.text.replace(/\n$/u, ''),
        }));
        expect(trimmed).toEqual(regionsOf(source));
      }),
    );
  });

  it.each([
    ['a file without regions', 'export default function* () {}\n', []],
    ['a region that is not closed', '// region a: x\n1\n// region b: y\n2\n// endregion\n', []],
    ['a slot that occurs twice', '// region a: x\n1\n// endregion\n// region a: y\n2\n// endregion\n', []],
    ['a marker that is indented', '  // region a: x\n1\n  // endregion\n', []],
    ['nothing', '', []],
  ])('survive %s', (_, source, expected) => {
    expect(parseComponents(source)).toEqual(expected);
    expect(replaceComponents(source, [{ slot: 'a', variant: 'z', text: 'other\n' }])).toBe(source);
  });

  it('take a replacement with $ and without a last line break as it is', () => {
    const source = '// region a: x\n1\n// endregion\n';
    expect(replaceComponents(source, [{ slot: 'a', variant: 'y', text: "'$1 $& $$'" }])).toBe(
      "// region a: y\n'$1 $& $$'\n// endregion\n",
    );
  });

  it('are found by a line, and known by their text whatever they are called', () => {
    const source = '// one\n// region a: x\nconst a = 1;\n// endregion\n';
    expect(componentAt(source, 3)?.slot).toBe('a');
    expect([1, 2, 4, 5, 99].map((line) => componentAt(source, line))).toEqual(Array(5).fill(undefined));
    expect(componentKey({ slot: 'a', text: '\nconst a = 1;' })).toBe(
      componentKey({ slot: 'a', text: 'const a = 1;\n' }),
    );
    expect(componentKey({ slot: 'a', text: '1' })).not.toBe(componentKey({ slot: 'b', text: '1' }));
  });
});
