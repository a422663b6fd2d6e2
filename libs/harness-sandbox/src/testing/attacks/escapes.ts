import { after, body, CONTAINED, file, load, reach } from './attack.ts';

export const constructors = [
  reach('Function', "Function('return 1')()", "new Function('return 1')()", 'new Function()'),
  reach(
    'constructor chains of own values',
    "({}).constructor.constructor('return 1')()",
    "''.constructor.constructor('return 1')()",
    "(() => 1).constructor('return 1')()",
    "Object.getPrototypeOf(() => 1).constructor('return 1')()",
    "/x/.exec('x').constructor.constructor('return 1')()",
    "Symbol.iterator.constructor.constructor('return 1')()",
    "(1n).constructor.constructor('return 1')()",
  ),
  reach(
    'constructor chains of what comes from the host',
    "task.constructor.constructor('return 1')()",
    "task.question.constructor.constructor('return 1')()",
    "limits.constructor.constructor('return 1')()",
    "limits.turns.constructor.constructor('return 1')()",
    "result.constructor.constructor('return 1')()",
    "result.list.constructor.constructor('return 1')()",
    "result.list.map.constructor('return 1')()",
  ),
  reach(
    'the constructors of the other kinds of function',
    "(function* () {}).constructor('yield 1')().next().value",
    "(async () => {}).constructor('return 1')()",
    "(async function* () {}).constructor('yield 1')()",
    "({ *m() {} }).m.constructor('yield 1')().next().value",
    "class { static async m() {} }.m.constructor('return 1')()",
  ),
  reach(
    'constructors of the helpers',
    "generate.constructor('yield 1')().next().value",
    "tool.constructor('yield 1')().next().value",
    "generate([]).constructor.constructor('return 1')()",
    "Object.getPrototypeOf(generate([])).constructor.constructor('return 1')()",
  ),
  reach(
    'constructors of errors of the engine',
    "(() => { try { null.x } catch (e) { return e.constructor.constructor('return 1')() } })()",
    "(() => { try { decodeURI('%') } catch (e) { return e.constructor.constructor('return 1')() } })()",
    "(() => { const f = () => f(); try { f() } catch (e) { return e.constructor.constructor('return 1')() } })()",
    "(() => { try { new Array(-1) } catch (e) { return e.constructor.constructor('return 1')() } })()",
  ),
  reach(
    'Function through Reflect, bind, call and subclasses',
    "Reflect.construct(Function, ['return 1'])()",
    "Reflect.construct(Function, ['return 1'], class extends Function {})()",
    "Reflect.apply(Function, null, ['return 1'])()",
    "Function.bind(null, 'return 1')()()",
    "Function.prototype.call.call(Function, null, 'return 1')()",
    "new (class extends Function { constructor() { super('return 1'); } })()()",
    "new (class extends (function* () {}).constructor { constructor() { super('yield 1'); } })()().next().value",
  ),
  reach(
    'Function as a callback',
    "['return 1'].map(Function)[0]()",
    "Array.from(['return 1'], Function)[0]()",
    "'return 1'.replace(/.*/, Function)",
    `JSON.parse('["return 1"]', (k, v) => (typeof v === 'string' ? Function(v) : v))[0]()`,
    "[1].reduce(Function, 'return 1')()",
    'Function`return 1`()',
  ),
  reach(
    'eval by all its names',
    "(0, globalThis.eval)('1')",
    "Reflect.get(globalThis, 'eval')('1')",
    "globalThis['ev' + 'al']('1')",
    "Object.getOwnPropertyDescriptor(globalThis, 'eval').value('1')",
    "globalThis.setTimeout('1')",
    "new globalThis.ShadowRealm().evaluate('1')",
    "globalThis.compile('1')",
    "new RegExp('x').compile('y').constructor.constructor('return 1')()",
  ),
];

export const globals = [
  reach(
    'globals of Node',
    'globalThis.process',
    'globalThis.require',
    'globalThis.module',
    'globalThis.global',
    'globalThis.Buffer',
    'globalThis.console',
    'globalThis.__dirname',
    'globalThis.navigator',
    'globalThis.fetch',
    'globalThis.structuredClone',
  ),
  reach(
    'globals of QuickJS and of other hosts',
    'globalThis.std',
    'globalThis.os',
    'globalThis.bjson',
    'globalThis.print',
    'globalThis.scriptArgs',
    'globalThis.gc',
    'globalThis.Deno',
    'globalThis.Bun',
    'globalThis.window',
    'globalThis.self',
    'globalThis.DOMException',
    'globalThis.loadScript',
  ),
  reach(
    'clocks',
    'globalThis.Date',
    'globalThis.performance',
    'globalThis.Temporal',
    'globalThis.Intl',
    'globalThis.setTimeout',
    'globalThis.setInterval',
    'globalThis.setImmediate',
    'globalThis.requestAnimationFrame',
  ),
  reach(
    'randomness',
    'Math.random',
    'Math.random()',
    'globalThis.crypto',
    'Reflect.ownKeys(Math).find((key) => /random/i.test(String(key)))',
    'Object.getPrototypeOf(Math).random',
  ),
  reach(
    'shared memory and WebAssembly',
    'globalThis.SharedArrayBuffer',
    'globalThis.Atomics',
    'globalThis.WebAssembly',
    'globalThis.Worker',
    'globalThis.MessageChannel',
  ),
  reach(
    'what tells of the garbage collector',
    'globalThis.WeakRef',
    'globalThis.FinalizationRegistry',
    'globalThis.AsyncDisposableStack',
  ),
  reach('jobs', 'globalThis.Promise', 'globalThis.queueMicrotask', 'globalThis.Iterator.prototype.async'),
  body(
    'a walk over everything that can be reached',
    CONTAINED,
    `const seen = new Set();
    const queue = [globalThis, task, limits, generate, tool, (async () => {})(), (async function* () {})(), (function* () {})()];
    while (queue.length > 0) {
      const value = queue.pop();
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
      seen.add(value);
      queue.push(Object.getPrototypeOf(value));
      for (const key of Reflect.ownKeys(value)) {
        const { value: inner, get, set } = Object.getOwnPropertyDescriptor(value, key);
        queue.push(inner, get, set);
        if (/^(eval|random|now|require|process|__driver|prepareStackTrace)$/.test(String(key))) {
          yield { type: 'tool', name: 'ESCAPED', args: { key: String(key) } };
        }
      }
    }
    if (seen.size < 500) throw new Error('walked over ' + seen.size);`,
  ),
];

export const realms = [
  reach(
    'the receiver of functions',
    '(function () { return this; })()',
    '(() => this)()',
    '(0, function () { return this; })()',
  ),
  reach(
    'callers, to get at the driver',
    '(function f() { return f.caller; })()',
    '(function () { return arguments.callee; })()',
    '(function f() { return f.arguments; })()',
    "Object.getOwnPropertyDescriptor(Function.prototype, 'caller').get.call(generate)",
  ),
  reach(
    'call sites of a stack (vm2 CVE-2022-36067)',
    `(() => { let got; Error.prepareStackTrace = (error, sites) => { got = sites; return sites; }; new Error().stack; return got; })()`,
    `(() => { let got; Object.defineProperty(Error, 'prepareStackTrace', { get() { return (e, s) => (got = s); } }); try { null.x } catch (e) { e.stack } return got; })()`,
    `(() => { let got; class E extends Error { static prepareStackTrace(e, s) { got = s; } } new E().stack; return got; })()`,
    `(() => { const o = {}; let got; Error.prepareStackTrace = (e, s) => (got = s); Error.captureStackTrace(o); o.stack; return got; })()`,
  ),
  reach(
    'a name that is a symbol, for a host error (vm2 CVE-2023-29017)',
    "(() => { const e = new Error(); e.name = Symbol(); e.stack; try { String(e) } catch (host) { return host.constructor.constructor('return 1')() } })()",
  ),
  body(
    'no path of the host in a stack',
    CONTAINED,
    `const stacks = [];
    try { null.x } catch (e) { stacks.push(e.stack); }
    try { [1].map(() => { throw new Error(); }) } catch (e) { stacks.push(e.stack); }
    try { JSON.parse('{') } catch (e) { stacks.push(e.stack); }
    if (/node:|file:|node_modules|wasm|\\/(home|work|usr|tmp)\\//.test(stacks.join())) {
      yield { type: 'tool', name: 'ESCAPED', args: { stacks } };
    }`,
  ),
  load(
    'the driver under its name',
    CONTAINED,
    `if ('__driver' in globalThis) throw new Error('there');
    Object.defineProperty(globalThis, '__driver', { get() { throw new Error('read'); }, set() { throw new Error('written'); } });`,
  ),
];

export const imports = [
  file('an import of node:fs', 'STRUCTURE', after("import fs from 'node:fs';")),
  file('an import of what QuickJS builds in', 'STRUCTURE', after("import * as std from 'qjs:std';")),
  file(
    'an import of itself, where there is nothing that it has not',
    CONTAINED,
    after("import * as me from 'harness.ts';"),
  ),
  file('an import of the prelude', 'STRUCTURE', after("import 'prelude.js';")),
  file('an import with attributes', 'STRUCTURE', after("import data from './data.json' with { type: 'json' };")),
  file('an export from', 'STRUCTURE', after("export * from 'node:fs';")),
  file('a data URL', 'STRUCTURE', after("import x from 'data:text/javascript,export default 1';")),
  body(
    'import() and what it gives',
    CONTAINED,
    `const pending = [import('node:fs'), import('qjs:std'), import('harness.ts'), import('prelude.js'), import('data:text/javascript,1')];
    let settled = 0;
    for (const one of pending) one.then((module) => { settled += 1; globalThis.leak = module; }, () => {});
    yield { type: 'tool', name: 'echo', args: {} };
    if (settled > 0) yield { type: 'tool', name: 'ESCAPED', args: { settled } };`,
  ),
  load('import() at the top', CONTAINED, "import('node:fs').catch(() => {});"),
  reach(
    'import.meta',
    'import.meta.url?.startsWith("file:") || undefined',
    'import.meta.resolve',
    'import.meta.dirname',
    'import.meta.main || undefined',
  ),
  file('require', 'RUNTIME', after("require('node:fs');")),
];
