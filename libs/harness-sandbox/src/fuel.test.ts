import { canonicalHash } from '@whale/kernel';
import { afterAll, expect, test } from 'vitest';
import { HarnessSandbox } from './harness-sandbox.ts';
import { harness, LOOP } from './testing/sources.ts';

const sandbox = new HarnessSandbox();
afterAll(() => sandbox.close());

/**
 * Program, fuel and the first digits of the hash of the whole run (end, effects, fuel, memory), as recorded with Node
 * 20, 22 and 24. They are equal on every machine and change with QuickJS, the prelude or the snapshot only. Then a
 * rollout that was near its limits may end otherwise when it is replayed: say so in the change log, and record anew.
 */
const GOLDEN: readonly [name: string, source: string, fuel: number, hash: string][] = [
  ['an agent loop', LOOP, 0, '9b8cfc8629d9a14a'],
  ['a loop', harness("for (let i = 0; i < 1e6; i++); return { answer: 'a' };"), 200, 'd64d46ea89b515f7'],
  [
    'calls',
    harness('const f = (n) => (n < 2 ? n : f(n - 1) + f(n - 2)); return { answer: String(f(22)) };'),
    11,
    '05e78521446fb0d7',
  ],
  [
    'generators and iterators',
    harness(
      'function* count(n) { for (let i = 0; i < n; i++) yield i; } let sum = 0; for (const i of count(2e5)) sum += i; for (const [k] of new Map([...count(1e4)].map((i) => [i, i]))) sum += k; return { answer: String(sum) };',
    ),
    109,
    'ce19de96d76e32e3',
  ],
  [
    'sorting with a comparator',
    harness(
      'const a = Array.from({ length: 2e4 }, (_, i) => (i * 7919) % 20011); a.sort((x, y) => x - y); return { answer: a.slice(0, 9).join() };',
    ),
    31,
    'c6d52b739238e6d3',
  ],
  [
    'texts, expressions, JSON, floating point',
    harness(
      "let s = ''; for (let i = 0; i < 2e4; i++) s += Math.sin(i).toFixed(12) + ' '; const n = s.match(/-?0\\.9\\d*/g).map(Number); return { answer: JSON.stringify([n.length, n.reduce((a, b) => a + b, 0), JSON.parse(JSON.stringify(n)).length]) };",
    ),
    10,
    '7fef312f3e2e265c',
  ],
  [
    'work between effects',
    harness(
      "for (let i = 0; i < 20; i++) { yield { type: 'tool', name: 'x', args: { i } }; for (let k = 0; k < 1e4 * i; k++); } return { answer: 'a' };",
    ),
    380,
    '19a1dc26e28feaf2',
  ],
  [
    'exceptions',
    harness('let n = 0; for (let i = 0; i < 1e5; i++) { try { null.x } catch { n++ } } return { answer: String(n) };'),
    30,
    'eabf61e40b137639',
  ],
  [
    'big integers',
    harness('let a = 1n; for (let i = 1n; i < 1500n; i++) a *= i; return { answer: String(a % 1000003n) };'),
    0,
    '4c6513b846456986',
  ],
  [
    'out of fuel at the 12th effect',
    harness("for (;;) { for (let i = 0; i < 8e5; i++); yield { type: 'tool', name: 'x', args: {} }; }"),
    1000,
    'b48bb5a96544163f',
  ],
  [
    'out of memory',
    harness(
      "const b = []; for (;;) { b.push({ n: b.length }); if (b.length % 1e4 === 0) yield { type: 'tool', name: 'x', args: {} }; }",
    ),
    41,
    'bfd60856e27711ac',
  ],
  [
    'recursion to the end of the stack',
    harness('let n = 0; const f = () => { n++; f(); }; try { f() } catch {} return { answer: String(n) };'),
    0,
    'c235bdc3626ac387',
  ],
  [
    'recursion of native code past the end of the stack',
    harness('let it = [1].values(); for (let i = 0; i < 1e5; i++) it = it.map((x) => x); it.next();'),
    22,
    '6b969dace6312346',
  ],
  [
    'a text nested too deeply for JSON, at a depth that is found out',
    harness(
      "let n = 1; for (; ; n += 50) { try { JSON.parse('['.repeat(n) + ']'.repeat(n)) } catch { return { answer: String(n) } } }",
    ),
    0,
    'bf7c7d784fc8a4a2',
  ],
];

test.each(GOLDEN)('%s', async (_name, source, fuel, hash) => {
  const run = await sandbox.run({
    source,
    task: { question: 'q' },
    limits: { fuel: 1000, stepMillis: 60_000, memoryBytes: 16 * 2 ** 20 },
    onEffect: (effect) => (effect.type === 'generate' ? { text: 'r', finish: 'stop' } : { text: 'd' }),
  });
  expect([run.fuelUsed, canonicalHash(run).slice(0, 16)]).toEqual([fuel, hash]);
});
