import { harness } from '../sources.ts';
import { body, CONTAINED, file, load, type Draft } from './attack.ts';

const RECEIVED =
  "{ const r = yield { type: 'tool', name: 'echo', args: { a: [1, 'x'] } }; if (r.a[1] !== 'x') throw new Error('wrong'); }";

export const prototypes: Draft[] = [
  load(
    'Object.prototype has all that the driver looks for',
    CONTAINED,
    `for (const key of ['type', 'name', 'messages', 'value', 'done', 'default', 'PROMPTS', 'answer', 'start', 'step', 'stack']) {
      Object.prototype[key] = 'polluted';
    }`,
  ),
  load(
    'Object.prototype has getters that throw',
    CONTAINED,
    `for (const key of ['value', 'done', 'get', 'set', 'message', 'stack', 'effect', 'answer']) {
      Object.defineProperty(Object.prototype, key, { __proto__: null, get() { throw new Error(key); }, set() { throw new Error(key); } });
    }`,
  ),
  load(
    'Object.prototype.toJSON',
    CONTAINED,
    'Object.prototype.toJSON = function () { return this.type === undefined ? this : { ...this, toJSON: undefined }; };',
  ),
  load('Object.prototype.then', CONTAINED, 'Object.prototype.then = (resolve) => resolve({ default: null });'),
  load(
    'String.prototype.toJSON and its kin',
    CONTAINED,
    "String.prototype.toJSON = Number.prototype.toJSON = Boolean.prototype.toJSON = () => 'x';",
  ),
  load(
    'Array.prototype: iterators',
    CONTAINED,
    `Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true });
    Array.prototype[Symbol.iterator] = function* () { yield 'polluted'; };`,
  ),
  load(
    'Array.prototype has an index that is a setter: it breaks JSON for its own harness',
    ['RUNTIME', CONTAINED],
    "Object.defineProperty(Array.prototype, 0, { set() { throw new Error('index'); }, get() { return 'polluted'; } });",
  ),
  load(
    'Function.prototype: call, apply, bind, hasInstance',
    CONTAINED,
    "for (const key of ['call', 'apply', 'bind', 'toString']) Function.prototype[key] = () => 'polluted';",
  ),
  load(
    'String.prototype: slice, length of a subclass, iterator',
    CONTAINED,
    "String.prototype.slice = String.prototype.toString = String.prototype.valueOf = () => 'E{}'; String.prototype[Symbol.iterator] = null;",
  ),
  load(
    'generator prototypes: next, return, throw, their kin',
    CONTAINED,
    `const G = Object.getPrototypeOf(function* () {});
    for (const key of ['next', 'return', 'throw']) G.prototype[key] = () => ({ done: true, value: { answer: 'stolen' } });
    G.prototype[Symbol.iterator] = null;
    Object.getPrototypeOf(G.prototype)[Symbol.iterator] = null;`,
  ),
  load(
    'Error.prototype has getters that throw',
    CONTAINED,
    "for (const key of ['stack', 'name', 'message', 'toString']) Object.defineProperty(Error.prototype, key, { get() { throw 1; } });",
  ),
  body(
    'Error.prototype has getters that loop, then the fuel ends',
    'FUEL',
    `for (const proto of [Error.prototype, Object.prototype]) {
      for (const key of ['stack', 'name', 'message']) Object.defineProperty(proto, key, { get() { for (;;); }, configurable: true });
    }
    for (;;);`,
    { limits: { fuel: 50 } },
  ),
  body(
    'InternalError.prototype, of which the uncatchable errors are',
    ['FUEL'],
    `try { Object.defineProperty(InternalError.prototype, 'message', { get() { for (;;); } }); } catch {}
    try { InternalError.prototype.name = 'gone'; } catch {}
    for (;;);`,
    { limits: { fuel: 50 } },
  ),
  load(
    'every function of JSON, Object, Reflect and Array is another',
    CONTAINED,
    "for (const o of [JSON, Object, Reflect, Array, String, Symbol]) for (const key of Object.getOwnPropertyNames(o)) { try { if (typeof o[key] === 'function') o[key] = () => 'polluted'; } catch {} }",
  ),
  load(
    'every global is gone',
    CONTAINED,
    'const all = globalThis; const { deleteProperty, ownKeys } = Reflect; for (const key of ownKeys(all)) deleteProperty(all, key);',
  ),
  load(
    'the global object and all prototypes are frozen',
    CONTAINED,
    "for (const key of Reflect.ownKeys(globalThis)) { const value = globalThis[key]; if (typeof value === 'function') { Object.freeze(value); Object.freeze(value.prototype); } } Object.freeze(globalThis);",
  ),
  load(
    'the global object has another prototype',
    CONTAINED,
    'try { Object.setPrototypeOf(globalThis, new Proxy({}, { get() { throw 1; }, has() { return true; } })); } catch {}',
  ),
  load(
    'the prototype of Array.prototype is a Proxy',
    CONTAINED,
    "Object.setPrototypeOf(Array.prototype, new Proxy({}, { get(_, key) { if (key === 'toJSON') return undefined; throw new Error('get'); }, has() { throw 1; } }));",
  ),
  load(
    'RegExp.prototype.exec and Symbol.species',
    CONTAINED,
    'RegExp.prototype.exec = () => { throw 1; }; Object.defineProperty(Array, Symbol.species, { get() { throw 1; } });',
  ),
  body(
    '__proto__ in what comes from the host',
    CONTAINED,
    `for (const value of [task, limits, task.list]) { value.__proto__.evil = 1; value.__proto__ = null; } delete Object.prototype.evil; ${RECEIVED}`,
  ),
];

export const accessors: Draft[] = [
  file(
    'a getter of the answer is another each time',
    'answered: first',
    harness("let n = 0; return { get answer() { return n++ ? 5 : 'first'; } };"),
  ),
  file('a getter of the answer throws', 'RUNTIME', harness("return { get answer() { throw new Error('no'); } };")),
  file(
    'a getter of the answer yields',
    'RUNTIME',
    harness(
      'const inner = (function* () { yield 1; })(); return { get answer() { inner.next(); inner.next(); return inner.next().value.x; } };',
    ),
  ),
  body(
    'getters make the effect',
    CONTAINED,
    `const r = yield { get type() { return 'tool'; }, get name() { return 'echo'; }, get args() { return { a: [1, 'x'] }; } }; if (r.a[1] !== 'x') throw new Error('wrong');`,
  ),
  body(
    'a getter of an effect throws',
    'EFFECT_SHAPE',
    "yield { type: 'tool', name: 'x', get args() { throw new Error('no'); } };",
  ),
  body('a getter of an effect loops', 'FUEL', "yield { type: 'tool', name: 'x', get args() { for (;;); } };", {
    limits: { fuel: 50 },
  }),
  body(
    'limits that are written over',
    'truncated: effects',
    "limits.effects = limits.turns = 1e9; for (;;) yield { type: 'tool', name: 'echo', args: {} };",
    { limits: { effects: 3 } },
  ),
  body(
    'limits with setters and a task that is frozen',
    CONTAINED,
    `Object.defineProperty(limits, 'turns', { set() { throw 1; }, get() { return Infinity; } }); Object.freeze(task); ${RECEIVED}`,
  ),
  body(
    'an effect that is changed after it was yielded',
    CONTAINED,
    "const e = { type: 'tool', name: 'echo', args: { a: 1 } }; const r = yield e; e.args.a = 2; e.name = 'ESCAPED'; if (r.a !== 1) throw new Error('wrong');",
  ),
  body(
    'valueOf and toPrimitive of what goes out',
    'EFFECT_SHAPE',
    "yield { type: { toString() { return 'tool'; }, valueOf() { return 'tool'; }, [Symbol.toPrimitive]() { return 'tool'; } }, name: 'echo', args: {} };",
  ),
];

export const proxies: Draft[] = [
  body(
    'a Proxy is the effect',
    CONTAINED,
    "const r = yield new Proxy({ type: 'tool', name: 'echo', args: { a: 1 } }, {}); if (r.a !== 1) throw new Error('wrong');",
  ),
  body(
    'a Proxy that lies about its keys is the effect',
    'EFFECT_SHAPE',
    "yield new Proxy({}, { ownKeys() { return ['type', 'more']; }, getOwnPropertyDescriptor() { return { value: 'tool', enumerable: true, configurable: true }; }, get() { return 'tool'; } });",
  ),
  body(
    'a Proxy whose traps throw is the effect',
    'EFFECT_SHAPE',
    "yield new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); } });",
  ),
  body('a Proxy whose traps loop is the effect', 'FUEL', 'yield new Proxy({}, { get() { for (;;); } });', {
    limits: { fuel: 50 },
  }),
  body(
    'a revoked Proxy is the effect',
    'EFFECT_SHAPE',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); yield proxy;',
  ),
  body(
    'a revoked Proxy is inside the effect',
    'EFFECT_SHAPE',
    "const { proxy, revoke } = Proxy.revocable([], {}); revoke(); yield { type: 'tool', name: 'x', args: { proxy } };",
  ),
  body('a Proxy is thrown', 'RUNTIME', "throw new Proxy(new Error('x'), {});"),
  body(
    'a Proxy whose traps throw Proxies is thrown',
    'RUNTIME',
    'const evil = new Proxy({}, { get() { throw evil; }, getPrototypeOf() { throw evil; } }); throw evil;',
  ),
  body(
    'a revoked Proxy is thrown',
    'RUNTIME',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;',
  ),
  body('a Proxy whose traps loop is thrown', 'FUEL', "throw new Proxy(new Error('x'), { get() { for (;;); } });", {
    limits: { fuel: 50 },
  }),
  file(
    'a Proxy is returned',
    'answered: proxied',
    harness("return new Proxy({}, { get(_, key) { return key === 'answer' ? 'proxied' : undefined; } });"),
  ),
  file(
    'a revoked Proxy is returned',
    'RUNTIME',
    harness('const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;'),
  ),
  file(
    'a Proxy is the answer',
    'ANSWER_SHAPE',
    harness("return { answer: new Proxy({}, { get() { return () => 'x'; } }) };"),
  ),
  file(
    'a Proxy is PROMPTS',
    CONTAINED,
    "export const PROMPTS = new Proxy({}, { ownKeys() { return []; } });\nexport default function* () { return { answer: 'contained' }; }",
  ),
  file(
    'a Proxy that throws is PROMPTS',
    'RUNTIME',
    "export const PROMPTS = new Proxy({}, { ownKeys() { throw new Error('keys'); } });\nexport default function* () {}",
  ),
  file(
    'a Proxy is the harness',
    CONTAINED,
    "export const PROMPTS = {};\nexport default new Proxy(function* () { return { answer: 'contained' }; }, {});",
  ),
  file(
    'a Proxy that applies otherwise is the harness',
    'RUNTIME',
    "export const PROMPTS = {};\nexport default new Proxy(function* () {}, { apply() { return { next() { return { done: true, value: { answer: 'x' } }; } }; } });",
  ),
  body(
    'a Proxy that is its own prototype',
    'FUEL',
    'const p = new Proxy({}, { getPrototypeOf() { return p; } }); p instanceof Array;',
    { limits: { fuel: 50 } },
  ),
  body(
    'a Proxy of 100,000 keys that are equal',
    ['RUNTIME', 'EFFECT_SHAPE'],
    "yield new Proxy({}, { ownKeys() { return new Array(1e5).fill('k'); } });",
  ),
];
