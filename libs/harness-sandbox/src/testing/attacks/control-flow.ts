import { harness, PROMPTS } from '../sources.ts';
import { body, CONTAINED, file, load, type Draft } from './attack.ts';

export const generators: Draft[] = [
  file(
    'a generator that is not one',
    'STRUCTURE',
    `${PROMPTS}function main() { return { next() {} }; }\nexport default Object.assign(main, { [Symbol.toStringTag]: 'GeneratorFunction' });`,
  ),
  file('an async generator', 'STRUCTURE', `${PROMPTS}export default async function* () {}`),
  file(
    'a generator function with another prototype',
    'STRUCTURE',
    `${PROMPTS}function* main() {}\nObject.setPrototypeOf(main, Function.prototype);\nexport default main;`,
  ),
  file(
    'a generator without a prototype',
    CONTAINED,
    `${PROMPTS}function* main() { return { answer: 'contained' }; }\nmain.prototype = null;\nexport default main;`,
  ),
  file(
    'a prototype with its own next',
    CONTAINED,
    `${PROMPTS}function* main() { return { answer: 'contained' }; }\nmain.prototype.next = () => ({ done: true, value: { answer: 'stolen' } });\nexport default main;`,
  ),
  body(
    'a generator that runs itself',
    'RUNTIME',
    'const inner = (function* () { inner.next(); yield 1; })(); inner.next();',
  ),
  body(
    'a generator that is run while its effect is written',
    'EFFECT_SHAPE',
    "const inner = (function* () { yield { type: 'tool', name: 'echo', args: {}, toJSON() { inner.next(); return { type: 'tool', name: 'echo', args: {} }; } }; yield 1; yield 2; })(); yield* inner;",
  ),
  body(
    'a finally that never ends',
    'truncated: effects',
    "try { throw 1; } catch {} finally { for (;;) yield { type: 'tool', name: 'echo', args: {} }; }",
    { limits: { effects: 5 } },
  ),
  body(
    'a return in a finally that hides an error',
    'ANSWER_SHAPE',
    "try { throw new Error('x'); } finally { return 5; }",
  ),
  body('a delegation without end', 'RUNTIME', 'function* g() { yield* g(); } yield* g();'),
  body(
    'a delegation 100,000 deep',
    'RUNTIME',
    'let g = (function* () { yield 1; })(); for (let i = 0; i < 1e5; i++) { const inner = g; g = (function* () { yield* inner; })(); } yield* g;',
  ),
  body('an iterator that gives no objects', 'RUNTIME', 'yield* { [Symbol.iterator]: () => ({ next: () => 5 }) };'),
  file(
    'an iterator whose results are Proxies',
    'answered: proxied',
    harness(
      "yield* { [Symbol.iterator]: () => ({ next: () => new Proxy({}, { get(_, key) { return key === 'done' ? ++globalThis.n > 1 : { answer: 'proxied' }; } }) }) };",
    ).replace('export default', 'globalThis.n = 0;\nexport default'),
  ),
  body(
    'an iterator whose results are done one time and not the next',
    ['EFFECT_SHAPE', 'ANSWER_SHAPE'],
    "let n = 0; yield* { [Symbol.iterator]: () => ({ next: () => ({ value: 'x', get done() { return n++ % 2 === 1; } }) }) };",
  ),
  body('an iterator without end, spread', 'MEMORY', '[...(function* () { for (;;) yield 1; })()];', {
    limits: { memoryBytes: 4 * 2 ** 20 },
  }),
  body(
    'an iterator that throws when it is closed',
    'RUNTIME',
    "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { throw new Error('closed'); } }) }) break;",
  ),
  body(
    'a generator that is ended while it runs',
    'RUNTIME',
    'const g = (function* () { g.return(1); yield 1; })(); g.next();',
  ),
  body(
    'using, with a disposal that throws',
    'RUNTIME',
    "{ using x = { [Symbol.dispose]() { throw new Error('disposed'); } }; throw new Error('first'); }",
  ),
  body(
    'labels, switch and finally in a knot',
    CONTAINED,
    'a: for (let i = 0; i < 9; i++) { try { continue a; } finally { if (i === 5) break a; } }',
  ),
];

export const errors: Draft[] = [
  ...(
    [
      'null',
      'undefined',
      '5',
      '5n',
      "''",
      "Symbol('s')",
      '() => 1',
      '{}',
      '[]',
      'globalThis',
      'generate',
      '-0',
      'NaN',
    ] as const
  ).map((value) => body(`${value} is thrown`, 'RUNTIME', `throw ${value};`)),
  body(
    'toString and toPrimitive throw',
    'RUNTIME',
    'throw { toString() { throw 1; }, [Symbol.toPrimitive]() { throw 2; }, get stack() { throw 3; }, toJSON() { throw 4; } };',
  ),
  body(
    'message is a getter that throws',
    'RUNTIME',
    "throw Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('y'); } });",
  ),
  body(
    'message is an object that loops',
    'FUEL',
    "throw Object.assign(new Error('x'), { message: { toString() { for (;;); } } });",
    { limits: { fuel: 50 } },
  ),
  body(
    'name is a symbol',
    'RUNTIME',
    "throw Object.assign(new Error('x'), { name: Symbol('n'), message: Symbol('m') });",
  ),
  body(
    'stack is of 10 MB',
    'RUNTIME',
    "throw Object.defineProperty(new Error('x'), 'stack', { value: 'x'.repeat(1e7) });",
  ),
  body('message is of 10 MB', 'RUNTIME', "throw new Error('x'.repeat(1e7));"),
  body('name is of 10 MB', 'RUNTIME', "throw Object.assign(new Error('x'), { name: 'n'.repeat(1e7) });"),
  body('a text of 10 MB is thrown', 'RUNTIME', "throw '\\u{1f600}'.repeat(2.5e6);"),
  body(
    'stack names a line that is none',
    'RUNTIME',
    "throw Object.defineProperty(new Error('x'), 'stack', { value: 'at harness.ts:' + '9'.repeat(500) + ':0' });",
  ),
  body(
    'a chain of causes that is a circle',
    'RUNTIME',
    "const a = new Error('a'); const b = new Error('b', { cause: a }); a.cause = b; throw a;",
  ),
  body(
    'toJSON of an error',
    'RUNTIME',
    "throw Object.assign(new Error('x'), { toJSON() { return { code: 'FUEL' }; }, code: 'WATCHDOG' });",
  ),
  body(
    'an error that pretends to be the end of the memory gets what it asks for',
    'MEMORY',
    "throw Object.assign(new InternalError('out of memory'), { kind: 'harness_error', code: 'MEMORY' });",
  ),
  body('an error that pretends to be an interrupt', 'RUNTIME', "throw new InternalError('interrupted');"),
  body('lone surrogates and NULs in a message', 'RUNTIME', "throw new Error('\\ud800\\u0000\\udfff'.repeat(2000));"),
  body('100,000 errors in one', 'RUNTIME', "throw new AggregateError(Array.from({ length: 1e5 }, () => 1), 'many');"),
  body('stackTraceLimit without end', 'RUNTIME', 'Error.stackTraceLimit = Infinity; const f = () => f(); f();'),
  body(
    'stackTraceLimit is an object',
    CONTAINED,
    'try { Error.stackTraceLimit = { valueOf() { throw 1; } }; null.x; } catch {}',
  ),
  body(
    'an error while the effect is written',
    'EFFECT_SHAPE',
    "yield { type: 'tool', name: 'x', args: { toJSON() { throw new Error('x'.repeat(1e6)); } } };",
  ),
  load(
    'an error while the module loads',
    'RUNTIME',
    "throw Object.assign(new Error('x'), { get stack() { throw 1; } });",
  ),
  load('null is thrown while the module loads', 'RUNTIME', 'throw null;'),
  load(
    'an endless getter is thrown while the module loads',
    'FUEL',
    "throw Object.defineProperty(new Error(), 'stack', { get() { for (;;); } });",
    { limits: { fuel: 50 } },
  ),
];

export const jobs: Draft[] = [
  body('a flood of jobs', CONTAINED, 'const p = (async () => {})(); const f = () => p.then(f); f(); f();'),
  body('an async function that loops', 'FUEL', '(async () => { for (;;); })();', { limits: { fuel: 50 } }),
  body('async functions that loop, in a loop', 'FUEL', 'for (;;) (async () => { for (;;); })();', {
    limits: { fuel: 50 },
  }),
  body('an async generator that loops', 'FUEL', '(async function* () { for (;;); })().next();', {
    limits: { fuel: 50 },
  }),
  body('async generators that loop, in a loop', 'FUEL', 'for (;;) (async function* () { for (;;); })().next();', {
    limits: { fuel: 50 },
  }),
  body(
    'a promise whose executor loops',
    'FUEL',
    'const P = (async () => {})().constructor; for (;;) new P(() => { for (;;); });',
    { limits: { fuel: 50 } },
  ),
  body('a thenable that loops', CONTAINED, '(async () => ({ then() { for (;;); } }))();'),
  body(
    'an async function that takes all memory',
    'MEMORY',
    '(async () => { const b = []; for (;;) b.push(new Array(1000).fill(1)); })();',
  ),
  body(
    'promises that wait for each other',
    CONTAINED,
    'const a = (async () => { await b; })(); const b = (async () => { await a; })();',
  ),
  body('a promise is the effect', 'EFFECT_SHAPE', "yield (async () => ({ type: 'tool', name: 'echo', args: {} }))();"),
  load('top-level await that never ends', 'STRUCTURE', 'await new (async () => {})().constructor(() => {});'),
  load('top-level await of a value', 'STRUCTURE', 'await 5;'),
  load(
    'an export named then',
    'STRUCTURE',
    "export function then(resolve) { resolve({ default: function* () { return { answer: 'stolen' }; }, PROMPTS: {} }); }",
  ),
  load('an export named then that throws', 'STRUCTURE', 'export function then() { throw 1; }'),
];

export const endless: Draft[] = [
  body('an endless loop', 'FUEL', 'for (;;);', { limits: { fuel: 50 } }),
  body(
    'an endless loop that catches everything',
    'FUEL',
    'for (;;) { try { for (;;); } catch {} finally { continue; } }',
    { limits: { fuel: 50 } },
  ),
  load('an endless loop while the module loads', 'FUEL', 'for (;;);', { limits: { fuel: 50 } }),
  body('an endless loop with using', 'FUEL', 'for (;;) { using x = { [Symbol.dispose]() { for (;;); } }; for (;;); }', {
    limits: { fuel: 50 },
  }),
  body('effects without end', 'truncated: effects', "for (;;) yield { type: 'tool', name: 'echo', args: {} };"),
  body(
    'generate without end',
    'truncated: turns',
    "for (;;) yield { type: 'generate', messages: [{ role: 'user', content: 'x' }] };",
  ),
  body(
    'much in every effect',
    'RECORD_TOO_LARGE',
    "for (;;) yield { type: 'tool', name: 'sink', args: { a: 'x'.repeat(9e5) } };",
    { limits: { recordBytes: 2 ** 22 } },
  ),
  body(
    'much in every result',
    'RECORD_TOO_LARGE',
    "for (;;) yield { type: 'tool', name: 'source', args: { bytes: 9e5 } };",
    { limits: { recordBytes: 2 ** 22 } },
  ),
  body(
    'a result that is larger than allowed',
    CONTAINED,
    "const r = yield { type: 'tool', name: 'source', args: { bytes: 2e6 } }; if (!/at most/.test(r.error)) throw new Error('wrong');",
  ),
  body(
    'a little fuel in every step',
    'FUEL',
    "for (;;) { for (let i = 0; i < 2e5; i++); yield { type: 'tool', name: 'echo', args: {} }; }",
    { limits: { fuel: 200 } },
  ),
];
