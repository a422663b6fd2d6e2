import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import { wellFormedJson } from './json-text.ts';
import { harness } from './testing/sources.ts';

const sandbox = new HarnessSandbox();
afterAll(() => sandbox.close());

/** What JSON keeps, with -0 as 0 (RFC 8785 too) and lone surrogates as U+FFFD. */
function asCrossed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === 'string' ? part.replace(/\p{Surrogate}/gu, '\ufffd') : part,
  );
}

const anyString = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\ud800', '\udfff', '\u0000', '\\', '"', '\u2028', '😀', 'é'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});
const key = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'then', '', '0', '-1'),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(-0, 5e-324, 1.7976931348623157e308, 9007199254740993, 1e21, 0.1),
    anyString,
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(key, tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

test('whatever JSON goes in as task and result comes out as effect, unchanged', async () => {
  const echo = harness(`
    let value = yield { type: 'tool', name: 'first', args: { value: task } };
    value = yield { type: 'tool', name: 'second', args: { value } };
    return { answer: JSON.stringify(value) };
  `);
  await fc.assert(
    fc.asyncProperty(json, json, async (task, value) => {
      const { end, effects } = await sandbox.run({ source: echo, task: task as never, onEffect: () => value });
      const [first, second] = effects;
      expect(first?.effect).toEqual({ type: 'tool', name: 'first', args: { value: asCrossed(task) } });
      expect(second?.effect).toEqual({ type: 'tool', name: 'second', args: { value: asCrossed(value) } });
      expect(JSON.stringify(second?.effect.type === 'tool' && second.effect.args.value)).toBe(
        JSON.stringify(asCrossed(value)),
      );
      expect(first?.result).toEqual(asCrossed(value));
      expect(end).toEqual({ kind: 'answered', answer: JSON.stringify(asCrossed(value)) });
    }),
    { numRuns: 300 },
  );
});

test('a string cut inside an emoji leaves as U+FFFD, in an effect and in the answer', async () => {
  const { end, effects } = await sandbox.run({
    source: harness("yield* tool('x', { cut: '😀'.slice(0, 1) }); return { answer: 'a' + '😀'.slice(1) }"),
    task: {},
    onEffect: () => null,
  });
  expect(effects[0]?.effect).toMatchObject({ args: { cut: '\ufffd' } });
  expect(end).toEqual({ kind: 'answered', answer: 'a\ufffd' });
});

test('an escaped backslash before ud800 is not a surrogate', () => {
  const text = JSON.stringify({ path: 'c:\\ud800', lone: '\ud800' });
  expect(JSON.parse(wellFormedJson(text))).toEqual({ path: 'c:\\ud800', lone: '\ufffd' });
});

test('a harness that overwrites every global still crosses the boundary', async () => {
  const { end } = await sandbox.run({
    source: harness(`
      JSON.stringify = () => 'x'; JSON.parse = () => 'x'; Object.keys = null as any; String = null as any;
      Reflect.apply = null as any; Array.isArray = null as any; Object.getPrototypeOf = null as any;
      Object.prototype.toString = null as any; Array.prototype.push = null as any;
      Object.getPrototypeOf?.(1); (function* () {}).prototype.next = null;
      const r = yield { type: 'tool', name: 'x', args: {} };
      return { answer: r.text };`),
    task: {},
    onEffect: () => ({ text: 'ok' }),
  });
  expect(end).toEqual({ kind: 'answered', answer: 'ok' });
});
