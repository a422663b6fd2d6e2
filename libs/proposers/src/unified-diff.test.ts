import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

describe('the diff to the parent', () => {
  it('makes the candidate of the parent', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((list) => list.join('\n'));
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = unifiedDiff({ id: 'p', source: before }, { id: 'c', source: after });
        expect(diff === '' ? before : applyPatch(before, diff)).toBe(after);
      }),
    );
  });

  it('names both, and nothing of any machine', () => {
    const diff = unifiedDiff({ id: 'aaaaaaaaaaaaaaa', source: 'x\n' }, { id: 'bbbbbbbbbbbbbbb', source: 'y\n' });
    expect(diff).toBe(
      '--- harnesses/aaaaaaaaaaaa/harness.ts\n+++ harnesses/bbbbbbbbbbbb/harness.ts\n@@ -1,1 +1,1 @@\n-x\n+y\n',
    );
  });
});
