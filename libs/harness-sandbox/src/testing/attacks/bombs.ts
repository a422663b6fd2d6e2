import { harness, PROMPTS } from '../sources.ts';
import { body, CONTAINED, file, load, type Draft } from './attack.ts';

const SMALL = { limits: { memoryBytes: 8 * 2 ** 20 } };

/** Recursion by each way that leads into native code: V8's stack must never be the one that ends it. */
export const stacks: Draft[] = [
  body('a function calls itself', 'RUNTIME', 'const f = () => f(); f();'),
  body(
    'a function calls itself and is caught, again and again',
    'FUEL',
    'const f = () => { try { f(); } catch {} }; for (;;) f();',
    { limits: { fuel: 50 } },
  ),
  body('toString', 'RUNTIME', "const o = { toString() { return '' + o; } }; '' + o;"),
  body('a getter', 'RUNTIME', 'const o = { get a() { return o.a; } }; o.a;'),
  body('a setter', 'RUNTIME', 'const o = { set a(v) { o.a = v; } }; o.a = 1;'),
  body('hasInstance', 'RUNTIME', 'const o = { [Symbol.hasInstance](x) { return x instanceof o; } }; 1 instanceof o;'),
  body('a comparator', 'RUNTIME', 'const f = () => [3, 2, 1].sort(f); f();'),
  body('a comparator of typed arrays', 'RUNTIME', 'const f = () => new Uint8Array([2, 1]).sort(f); f();'),
  body('a replacer', 'RUNTIME', "const f = () => 'a'.replace(/a/, f); f();"),
  body(
    'Reflect.apply and Array.from',
    'RUNTIME',
    'const f = () => Array.from([1], () => Reflect.apply(f, null, [])); f();',
  ),
  body('a reviver of JSON', 'RUNTIME', "const r = () => JSON.parse('[1]', r); r();"),
  body('toJSON', 'RUNTIME', 'const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o);'),
  body('constructors', 'RUNTIME', 'class A { constructor() { new new.target(); } } new A();'),
  body('generators', 'RUNTIME', 'function* g(n) { if (n) yield* g(n - 1); yield 1; } yield* g(1e5);'),
  body('JSON text 1,000,000 deep', 'RUNTIME', "JSON.parse('['.repeat(1e6) + ']'.repeat(1e6));"),
  body(
    'an effect 100,000 deep',
    'EFFECT_SHAPE',
    "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; yield { type: 'tool', name: 'x', args: { a } };",
  ),
  body('arrays 100,000 deep as a string', 'RUNTIME', "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; '' + a;"),
  body('arrays 100,000 deep, flat', 'RUNTIME', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity);'),
  body('Proxies 50,000 deep', 'RUNTIME', 'let p = {}; for (let i = 0; i < 5e4; i++) p = new Proxy(p, {}); p.x;'),
  body(
    'Proxies of functions 50,000 deep',
    'RUNTIME',
    'let p = () => 1; for (let i = 0; i < 5e4; i++) p = new Proxy(p, {}); p();',
  ),
  body('prototypes 100,000 deep', CONTAINED, 'let p = {}; for (let i = 0; i < 1e5; i++) p = Object.create(p); p.x;'),
  body(
    'classes 3,000 deep',
    ['RUNTIME', CONTAINED],
    'let C = class {}; for (let i = 0; i < 3000; i++) C = class extends C {}; new C();',
  ),
  body(
    'iterator helpers 100,000 deep: QuickJS does not look at its stack',
    ['CRASH', 'RUNTIME'],
    'let it = [1].values(); for (let i = 0; i < 1e5; i++) it = it.map((x) => x); it.next();',
  ),
  body(
    'iterator helpers 100,000 deep, flatMap',
    ['CRASH', 'RUNTIME'],
    'let it = [1].values(); for (let i = 0; i < 5e4; i++) it = it.flatMap((x) => [x]); it.next();',
  ),
  body('objects 200,000 deep are freed', CONTAINED, 'let a = null; for (let i = 0; i < 2e5; i++) a = { a }; a = null;'),
  body(
    'a string that was put together from the left',
    CONTAINED,
    "let s = ''; for (let i = 0; i < 2e4; i++) s = 'x'.repeat(300) + s; s.charCodeAt(5);",
  ),
  body(
    'a regular expression with 20,000 groups in each other',
    'RUNTIME',
    "new RegExp('(?:'.repeat(2e4) + ')'.repeat(2e4));",
  ),
  body(
    'a regular expression with 20,000 sets in each other',
    'RUNTIME',
    "new RegExp('['.repeat(2e4) + 'a' + ']'.repeat(2e4), 'v');",
  ),
];

export const heaps: Draft[] = [
  body('arrays of arrays', 'MEMORY', 'const b = []; for (;;) b.push(new Array(1000).fill(b.length));', SMALL),
  body(
    'all is caught',
    'MEMORY',
    'const b = []; for (;;) { try { for (;;) b.push([b.length]); } catch {} finally {} }',
    SMALL,
  ),
  body('in a finally', 'MEMORY', 'const b = []; try { throw 1; } finally { for (;;) b.push([1]); }', SMALL),
  body(
    'in a getter of the answer',
    'MEMORY',
    'return { get answer() { const b = []; for (;;) b.push([1]); } };',
    SMALL,
  ),
  body(
    'in toJSON of an effect',
    'MEMORY',
    "yield { type: 'tool', name: 'x', args: { toJSON() { const b = []; for (;;) b.push([1]); } } };",
    SMALL,
  ),
  body(
    'in toString of what is thrown',
    'MEMORY',
    'throw Object.assign(new Error(), { message: { toString() { const b = []; for (;;) b.push([1]); } } });',
    SMALL,
  ),
  load('memory while the module loads', 'MEMORY', 'const b = []; for (;;) b.push([1]);', SMALL),
  file(
    'in PROMPTS',
    'MEMORY',
    "export const PROMPTS = { a: 'x'.repeat(1e7) + 'y' };\nexport default function* () { return { answer: 'a' }; }",
    SMALL,
  ),
  body('a gigabyte of text', 'MEMORY', "'x'.repeat(1e9);"),
  body('texts that double', ['MEMORY', 'RUNTIME'], "let s = 'x'; for (;;) { s += s; s.charCodeAt(0); }"),
  body('padding', 'MEMORY', "'a'.padEnd(2 ** 30 - 1, 'bc');"),
  body('a gigabyte of bytes, caught', 'MEMORY', 'try { new Uint8Array(1e9); } catch {}'),
  body(
    'a buffer that can grow',
    ['MEMORY', 'RUNTIME'],
    'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30);',
  ),
  body('a typed array of 2 ** 53', ['MEMORY', 'RUNTIME'], 'new Float64Array(2 ** 53 - 1);'),
  body('properties', 'MEMORY', "const o = {}; for (let i = 0; ; i++) o['k' + i] = i;", SMALL),
  body('symbols', 'MEMORY', 'const a = []; for (;;) a.push(Symbol());', SMALL),
  body('closures', 'MEMORY', 'let f = () => 0; for (;;) { const g = f; f = () => g; }', SMALL),
  body('a Map', 'MEMORY', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, {});', SMALL),
  body(
    'weak maps that hold each other',
    'MEMORY',
    'const w = new WeakMap(); let k = {}; for (;;) { const n = { k }; w.set(n, k); k = n; }',
    SMALL,
  ),
  body('big integers that double', ['MEMORY', 'RUNTIME'], 'let a = 3n; for (;;) a *= a;'),
  body('matches', 'MEMORY', "[...'a'.repeat(2e6).matchAll(/a/g)];", SMALL),
  body('a split', 'MEMORY', "'a'.repeat(5e6).split('');", SMALL),
  body('jobs that wait', 'MEMORY', 'const p = (async () => {})(); for (;;) p.then(() => {});', SMALL),
  body('a native function that fails without an error', 'MEMORY', "'\\u0344'.repeat(5e6).normalize('NFKD');"),
  body('2 MiB, the least', 'MEMORY', 'const b = []; for (;;) b.push({ x: 1, y: 2, z: 3 });', {
    limits: { memoryBytes: 2 * 2 ** 20 },
  }),
];

const bomb = (name: string, text: string): Draft =>
  body(name, 'WATCHDOG', text, { limits: { stepMillis: 200, fuel: 1e6 } });

/** Native code that counts no fuel: each of them costs a worker. */
export const natives: Draft[] = [
  bomb('a search', "'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b');"),
  bomb('a search in 2 ** 53 elements', 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);'),
  bomb('a join of 2 ** 32 elements', "Array.prototype.join.call({ length: 2 ** 32 - 1 }, '');"),
  bomb(
    'JSON of a graph that is a tree of 2 ** 1000',
    'let a = [1]; for (let i = 0; i < 1000; i++) a = [a, a]; JSON.stringify(a);',
  ),
  bomb(
    'an effect of the same graph',
    "let a = [1]; for (let i = 0; i < 1000; i++) a = [a, a]; yield { type: 'tool', name: 'x', args: { a } };",
  ),
  bomb('String.raw of 2 ** 53 pieces', 'String.raw({ raw: { length: 2 ** 53 - 1 } });'),
  bomb(
    'a getter on what is thrown',
    "throw Object.defineProperty(new Error(), 'stack', { get() { return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1); } });",
  ),
  bomb(
    'an array from an iterator of native code without end',
    'const [...x] = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) };',
  ),
  {
    ...bomb(
      'a little of it in every step',
      "const a = 'a'.repeat(1e4); const b = 'a'.repeat(5e3) + 'b'; for (;;) { for (let i = 0; i < 3; i++) a.indexOf(b); yield { type: 'tool', name: 'echo', args: {} }; }",
    ),
    limits: { stepMillis: 100, effects: 10_000 },
  },
  bomb('symbols of the registry', "for (let i = 0; ; i++) Symbol.for('x' + i);"),
  {
    ...bomb('while the module loads', ''),
    source: `${PROMPTS}'a'.repeat(5e6).indexOf('a'.repeat(2e6) + 'b');\nexport default function* () {}`,
  },
  {
    ...bomb('a source that compiles for a second', ''),
    source: `${Array.from({ length: 24_000 }, (_, i) => `let v${i}`).join('\n')}\n${harness('')}`,
  },
];

export const regularExpressions: Draft[] = [
  bomb('nested quantifiers', "/(a+)+$/.test('a'.repeat(40) + 'b');"),
  bomb('back references', "/(.*)\\1\\1\\1\\1x/.test('a'.repeat(3e4));"),
  body('quantifiers of 65,535 in each other', 'FUEL', "/(?:a{0,65535}){0,65535}b/.test('a'.repeat(50));", {
    limits: { fuel: 50 },
  }),
  body('the empty text, lazily', CONTAINED, "/()*?a/.exec(','); /(?:)*?b/.exec('a'); /(?=(a*))*b/.exec('aaa');"),
  body('70,000 groups', 'RUNTIME', "new RegExp('()'.repeat(70_000));"),
  body(
    'quantifiers that multiply',
    [CONTAINED, 'RUNTIME'],
    "new RegExp('(?:'.repeat(200) + 'a' + '){1000}'.repeat(200));",
  ),
  body(
    'lastIndex with a getter that changes the text',
    CONTAINED,
    "const r = /a/g; r.lastIndex = { valueOf() { r.compile('b', 'g'); return 0; } }; r.exec('ab');",
  ),
];
