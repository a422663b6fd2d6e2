import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseComponents } from './components.ts';
import { readHeader, withHeader, withoutHeader } from './header.ts';

const told = fc.record({
  parent: fc.stringMatching(/^[0-9a-f]{64}$/u),
  changes: fc.array(fc.string()),
  hypothesis: fc.oneof(fc.lorem({ maxCount: 200 }), fc.string()),
});

describe('the header of a candidate', () => {
  it('comes off again and leaves the source as it was', () => {
    fc.assert(
      fc.property(
        told,
        fc.constantFrom('', '/* doc */\nexport const a = 1;\n', '// a comment\n\ncode();\n'),
        (draft, source) => {
          expect(withoutHeader(withHeader(source, draft))).toBe(source);
        },
      ),
    );
  });

  it('is read back, but for white space', () => {
    const plain = (text: string) => text.split(/\s+/u).filter(Boolean).join(' ');
    fc.assert(
      fc.property(told, ({ parent, changes, hypothesis }) => {
        expect(readHeader(withHeader('code();\n', { parent, changes, hypothesis }))).toEqual({
          parent,
          changes: changes.map(plain),
          hypothesis: plain(hypothesis),
        });
      }),
    );
  });

  it('is read where somebody wrote it by hand, and is empty where nobody did', () => {
    const written = '// My idea.\n// hypothesis: it helps\n//   a lot\n// not this\n//   nor this\n\n// parent: x\n';
    expect(readHeader(written)).toEqual({ parent: '', hypothesis: 'it helps a lot', changes: [] });
    expect(readHeader('code();\n// hypothesis: later')).toEqual({ parent: '', hypothesis: '', changes: [] });
  });

  it('takes the place of the one before', () => {
    fc.assert(
      fc.property(told, told, (first, second) => {
        expect(withHeader(withHeader('code();\n', first), second)).toBe(withHeader('code();\n', second));
      }),
    );
  });

  it('is comment all through and opens no region, whatever the hypothesis says', () => {
    const hypothesis = `${'x'.repeat(110)} region query: terse\n// endregion\n*/ code();`;
    const header = withHeader('code();\n', { parent: 'p', changes: ['region a: b'], hypothesis });
    expect(
      header
        .split('\n\n')[0]
        ?.split('\n')
        .every((line) => line.startsWith('// ')),
    ).toBe(true);
    expect(parseComponents(`${header}// endregion\n`)).toEqual([]);
  });
});
