import { expect, it } from 'vitest';
import { resolveParent } from './parents.ts';
import { redact } from './redact.ts';
import { rejectionLine, rejectionText } from './rejection-text.ts';
import { summaryOf } from './summary.ts';
import { trialsText } from './trial-text.ts';

it('finds a parent by its id or by a beginning that only it has', () => {
  const ids = new Set(['aaaa1111bbbb', 'aaaa1111cccc', 'dddd2222eeee']);
  expect(resolveParent('dddd2222', ids)).toEqual({ id: 'dddd2222eeee' });
  expect(resolveParent('aaaa1111cccc', ids)).toEqual({ id: 'aaaa1111cccc' });
  expect(resolveParent('aaaa1111', ids)).toEqual({
    problem: '2 harnesses have ids that begin with aaaa1111, e.g. aaaa1111bbbb, aaaa1111cccc: write more.',
  });
  expect(resolveParent('ffff0000', ids)).toMatchObject({ problem: expect.stringContaining('No harness has an id') });
});

it('shows where a candidate fails, with the lines around', () => {
  const source = Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join('\n');
  const rejection = { stage: 'types', message: 'Not\n  this.', line: 10 } as const;
  expect(rejectionText(rejection, source)).toBe(
    'Rejected at the stage `types`, line 10: Not\n  this.\n   8 | line 8\n   9 | line 9\n> 10 | line 10\n  11 | line 11\n  12 | line 12',
  );
  expect(rejectionLine(rejection)).toBe('types, line 10: Not this.');
  expect(rejectionText({ ...rejection, line: null }, source)).toBe('Rejected at the stage `types`: Not\n  this.');
  // A line that the source does not have, and one that is far too long.
  expect(rejectionText({ ...rejection, line: 99 }, source)).toMatch(/Not\n {2}this\.\n$/u);
  expect(rejectionText({ ...rejection, line: 1 }, 'x'.repeat(100_000)).length).toBeLessThan(400);
});

it('shows a trial effect by effect, each value and the whole within bounds', () => {
  const say = (content: string, result: string) => ({
    effect: {
      type: 'generate',
      messages: [
        { role: 'system', content: 'Answer.' },
        { role: 'user', content },
      ],
    },
    result: { text: result },
    from: 'recorded' as const,
  });
  const short = trialsText([{ taskId: 'h1', effects: [say('Who?', 'Me.')], end: { kind: 'answered' } }]);
  expect(short).toBe(
    'Task h1\n' +
      '  1. {"type":"generate","messages":2,"last":{"role":"user","content":"Who?"}}\n' +
      '     (recorded) {"text":"Me."}\n' +
      '  ended: {"kind":"answered"}',
  );
  const effects = Array.from({ length: 100 }, (_, n) => say(`question ${n} ${'x'.repeat(90_000)}`, `answer ${n}`));
  const long = trialsText(['h1', 'h2', 'h3', 'h4', 'h5'].map((taskId) => ({ taskId, effects, end: null })));
  expect(long.length).toBeLessThan(50_000);
  expect(long).toContain('question 0 ');
  expect(long).toContain('question 99 ');
  expect(long).toMatch(/… \d+ effects not shown/u);
});

it('sums up the arguments of a tool in one line', () => {
  expect(summaryOf({ path: 'index.md' })).toBe('{"path":"index.md"}');
  expect(summaryOf({ source: 'x'.repeat(5_000), name: 'a' })).toBe('{"source":"(5000 characters)","name":"a"}');
  expect(summaryOf({ many: Array.from({ length: 500 }, () => 'word') }).length).toBe(300);
});

it('takes a key out of a text, but no word that only stands in for one', () => {
  const key = 'sk-ant-0123456789';
  expect(redact(`${key} and ${key}`, key)).toBe('[key] and [key]');
  expect(redact('none of this', 'none')).toBe('none of this');
});
