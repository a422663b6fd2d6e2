import { body, CONTAINED, type Draft } from './attack.ts';

/**
 * Kinds of bugs that QuickJS has had (see its issues 477, 1296, 1297, 1305, 1352, 1368, 1400, 1440, 1562, 1572): memory
 * that native code still uses is freed or shrunk by a callback. Where one is open, it spoils the memory of its own VM:
 * a typed end, and siblings that know nothing of it. Repeated, so that the allocator and the collector get to see it.
 */
const ENDS = [CONTAINED, 'RUNTIME', 'MEMORY', 'CRASH'];
const SPRAY = 'const spray = []; for (let k = 0; k < 2000; k++) spray.push({ k, a: [k, k], s: "s" + k });';
const spoil = (name: string, text: string): Draft =>
  body(name, ENDS, `for (let round = 0; round < 30; round++) { try { ${text} } catch {} ${SPRAY} }`);

const GROWABLE = 'const buffer = new ArrayBuffer(256, { maxByteLength: 4096 }); const bytes = new Uint8Array(buffer);';

export const memorySafety: Draft[] = [
  spoil(
    'a comparator shrinks the typed array',
    `${GROWABLE} let n = 0; for (let i = 0; i < 256; i++) bytes[i] = 255 - i; bytes.sort((a, b) => { if (++n === 900 + round * 30) buffer.resize(8); return a - b; });`,
  ),
  spoil(
    'a new target shrinks the source of a typed array',
    `${GROWABLE} Reflect.construct(Uint8Array, [bytes], new Proxy(function () {}, { get(t, key) { if (key === 'prototype') buffer.resize(0); return t[key]; } }));`,
  ),
  spoil('valueOf shrinks the buffer of fill', `${GROWABLE} bytes.fill({ valueOf() { buffer.resize(1); return 7; } });`),
  spoil(
    'valueOf shrinks the buffer of copyWithin',
    `${GROWABLE} bytes.copyWithin(0, { valueOf() { buffer.resize(1); return 4; } });`,
  ),
  spoil(
    'valueOf shrinks the buffer of with, set and subarray',
    `${GROWABLE} bytes.with(200, { valueOf() { buffer.resize(1); return 4; } }); bytes.set({ length: 9, get 3() { buffer.resize(1); return 1; } }); bytes.subarray({ valueOf() { buffer.resize(0); return 0; } }, 200);`,
  ),
  spoil(
    'a species shrinks the buffer of slice',
    `${GROWABLE} bytes.constructor = { [Symbol.species]: function (n) { buffer.resize(0); return new Uint8Array(n); } }; bytes.slice(0);`,
  ),
  spoil(
    'a buffer is given away while a DataView writes',
    'const b = new ArrayBuffer(64); const v = new DataView(b); v.setFloat64({ valueOf() { b.transfer(); return 8; } }, 1);',
  ),
  spoil(
    'a buffer is given away in the middle of includes and join',
    'const b = new ArrayBuffer(64); const a = new Uint8Array(b); a.includes(1, { valueOf() { b.transfer(); return 0; } }); a.join({ toString() { b.transfer(); return ","; } });',
  ),
  spoil(
    'a comparator empties the array',
    'const a = Array.from({ length: 300 }, (_, i) => ({ i: 300 - i })); a.sort((x, y) => { a.length = 0; return x.i - y.i; });',
  ),
  spoil(
    'a comparator of toSorted frees what it holds',
    'let a = Array.from({ length: 300 }, (_, i) => [300 - i]); a.toSorted((x, y) => { a.length = 1; a = [0]; return x - y; });',
  ),
  spoil(
    'valueOf empties the array in splice, lastIndexOf, fill and includes',
    "for (const m of ['splice', 'lastIndexOf', 'fill', 'includes', 'toSpliced', 'with', 'at']) { const a = Array.from({ length: 99 }, (_, i) => ({ i })); try { a[m](1, { valueOf() { a.length = 0; return 50; } }, { valueOf() { a.length = 0; return 1; } }); } catch {} }",
  ),
  spoil(
    'a species gives the array itself',
    'const a = [1, 2, 3, {}]; a.constructor = { [Symbol.species]: function () { return a; } }; a.map((x) => { a.length = 1; return x; }); a.filter(() => true); a.concat(a); a.splice(0, 2);',
  ),
  spoil(
    'lengths that grow, then push',
    'const keep = []; for (let i = 0; i < 30; i++) { const a = [0]; a.length = 245; a.push({}); keep.push(a); } keep.length = 3;',
  ),
  spoil(
    'a getter changes the array while it is spread and stringified',
    'const a = [1, 2, 3]; Object.defineProperty(a, 1, { get() { a.length = 0; a.push({}); return 1; }, configurable: true }); [...a]; JSON.stringify(a); a.flat(); a.join(); Math.max.apply(null, a);',
  ),
  spoil(
    'Iterator.concat that ends itself',
    'let it; it = Iterator.concat({ [Symbol.iterator]() { it.return(); return [][Symbol.iterator](); } }, [1]); it.next(); let o; o = Iterator.concat({ [Symbol.iterator]() { return { get next() { o.return(); return () => ({ done: true }); } }; } }); o.next();',
  ),
  spoil(
    'iterator helpers that run or end themselves',
    "for (const m of ['map', 'filter', 'flatMap', 'take', 'drop']) { let it; it = [{}, {}, {}].values()[m](m === 'take' || m === 'drop' ? 1 : () => { try { it.next(); } catch {} it.return(); return [1]; }); try { it.next(); it.next(); } catch {} }",
  ),
  spoil(
    'find that finds nothing, of one object, often',
    'const o = {}; const many = new Array(1000).fill(o); for (let i = 0; i < 5; i++) many.values().find(() => false);',
  ),
  spoil(
    'a Map and a Set that are emptied while they are walked',
    'const m = new Map([[{}, 1], [{}, 2], [{}, 3]]); m.forEach((v, k) => { m.clear(); m.set({}, {}); if (m.size > 9) throw 1; m.delete(k); throw 1; }); const s = new Set([{}, {}]); for (const x of s) { s.clear(); if (s.size < 3) s.add({}); break; }',
  ),
  spoil(
    'set methods whose argument changes the set',
    'const s = new Set([1, 2, 3, 4]); for (const m of ["union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isDisjointFrom"]) s[m]({ size: 9, has(x) { s.clear(); return true; }, keys() { s.clear(); return [1, 2][Symbol.iterator](); } });',
  ),
  spoil(
    'groupBy, fromEntries and assign with keys that free',
    'const a = [{}, {}, {}]; Map.groupBy(a, (x) => { a.length = 0; return x; }); Object.groupBy([1, 2], () => ({ toString() { a.push({}); return "k"; } })); Object.fromEntries([[{ toString() { a.length = 0; return "k"; } }, {}]]);',
  ),
  spoil(
    'weak keys in a circle',
    'const w = new WeakMap(); const s = new WeakSet(); for (let i = 0; i < 50; i++) { const a = {}; const b = { a }; w.set(a, b); w.set(b, w); s.add(w); w.set(w, s); }',
  ),
  spoil(
    'arguments that are bound to names',
    '(0, eval ?? 0); const f = function () { const g = () => arguments; return [arguments, g()]; }; for (let i = 0; i < 50; i++) { const [x] = f(1, {}, []); x.length = 1; delete x[0]; }'.replace(
      '(0, eval ?? 0); ',
      '',
    ),
  ),
  spoil(
    'a text replaced by a function that changes the expression',
    "const r = /a/g; 'aaaa'.replace(r, () => { r.compile('b'); r.lastIndex = 2 ** 31; return 'x'.repeat(50); }); 'abab'.split({ [Symbol.split]() { return {}; } }); 'a'.replace({ [Symbol.replace](s) { return s; } }, '');",
  ),
  spoil(
    'exec that gives false results',
    "const r = /a/g; r.exec = () => ({ index: 2 ** 31, 0: 'a', length: 2 ** 32 - 1, groups: null }); 'aaa'.replace(r, '$1$<x>$99'); 'aaa'.match(r);".replace(
      "'aaa'.match(r);",
      '',
    ),
  ),
  spoil(
    'Proxies between native code and its arrays',
    "const a = [3, 1, 2]; const p = new Proxy(a, { get(t, k) { if (k === '1') a.length = 0; return t[k]; }, has() { return true; }, deleteProperty() { a.push({}); return true; } }); for (const m of ['sort', 'reverse', 'shift', 'unshift', 'splice', 'copyWithin', 'concat', 'flat', 'join', 'fill']) { try { a.push(1, 2); Array.prototype[m].call(p, 0, 1); } catch {} }",
  ),
  spoil(
    'JSON whose reviver and toJSON tear down what is walked',
    "JSON.parse('[[1,2,[3]],{\"a\":[4]}]', function (k, v) { if (Array.isArray(this)) this.length = 0; else if (this) delete this[k]; return v; }); const o = { a: [1, { toJSON() { o.a.length = 0; o.a = null; return 1; } }, 2] }; JSON.stringify(o, (k, v) => { if (k === '1') o.a = []; return v; });",
  ),
  spoil(
    'big integers at their limit',
    'const big = 1n << 20000n; (-big) % ((1n << 31n) + 1n); big ** 2n; BigInt.asIntN(64, -big); (big * big).toString(36).length; BigInt("0x" + "f".repeat(500)) >> 499n;',
  ),
];
