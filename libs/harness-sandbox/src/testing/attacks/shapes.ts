import { harness, PROMPTS } from '../sources.ts';
import { after, body, CONTAINED, file, type Draft } from './attack.ts';

const shape = (name: string, value: string): Draft => body(name, 'EFFECT_SHAPE', `yield ${value};`);
const args = (value: string): string => `{ type: 'tool', name: 'echo', args: ${value} }`;
const messages = (value: string, more = ''): string => `{ type: 'generate', messages: ${value}${more} }`;
const ONE = "[{ role: 'user', content: 'x' }]";

export const effects: Draft[] = [
  ...[
    'undefined',
    'null',
    '5',
    "'generate'",
    'true',
    'NaN',
    'Symbol()',
    '5n',
    '() => 1',
    '[]',
    '{}',
    'new Map()',
    '/x/',
    'function* () {}',
  ].map((value) => shape(`${value} is the effect`, value)),
  shape('a type that is none', "{ type: 'exec', command: 'id' }"),
  shape('a type that is a String', "{ type: new String('x'), name: 'echo', args: {} }"),
  shape('a circle', '(() => { const a = { type: "tool", name: "x", args: {} }; a.args.a = a; return a; })()'),
  shape('a big integer inside', args('{ a: 1n }')),
  shape('arguments that are a list', args('[]')),
  shape('arguments that are null', args('null')),
  shape('arguments that are a function', args('() => 1')),
  shape('a name that is empty', "{ type: 'tool', name: '', args: {} }"),
  shape('a name that is a number', "{ type: 'tool', name: 5, args: {} }"),
  shape('a key too many', "{ type: 'tool', name: 'x', args: {}, user: 'root' }"),
  shape('__proto__ as a key', 'JSON.parse(\'{"type":"tool","name":"x","args":{},"__proto__":{"admin":true}}\')'),
  shape(
    '80,000 keys too many',
    "Object.assign({ type: 'tool', name: 'x', args: {} }, Object.fromEntries(Array.from({ length: 80_000 }, (_, i) => ['k' + i, 1])))",
  ),
  shape('nesting 5,000 deep', args("JSON.parse('{\"a\":' + '['.repeat(900) + ']'.repeat(900) + '}')")),
  shape('no messages', messages('[]')),
  shape('messages that are an object', messages('{}')),
  shape('a role that is none', messages("[{ role: 'root', content: 'x' }]")),
  shape('a content that is a number', messages("[{ role: 'user', content: 5 }]")),
  shape('a content that is a list', messages("[{ role: 'user', content: [{ type: 'text', text: 'x' }] }]")),
  shape('40,000 messages that are wrong', messages('new Array(40_000).fill({ role: "x" })')),
  shape('maxTokens that is NaN', messages(ONE, ', maxTokens: NaN')),
  shape('maxTokens that is infinite', messages(ONE, ', maxTokens: 1e400')),
  shape('maxTokens that is negative', messages(ONE, ', maxTokens: -1')),
  shape('maxTokens that is half a token', messages(ONE, ', maxTokens: 0.5')),
  shape('maxTokens above what a number holds', messages(ONE, ', maxTokens: 1e300')),
  shape('a stop that is a text', messages(ONE, ", stop: 'x'")),
  shape('200,000 stops that are numbers', messages(ONE, ', stop: new Array(200_000).fill(1)')),
  shape('toJSON gives another thing', "{ type: 'tool', name: 'echo', args: {}, toJSON() { return 5; } }"),
  shape('toJSON gives nothing', '{ toJSON() { return undefined; } }'),
  body(
    'toJSON lies about what it is',
    CONTAINED,
    "const r = yield { type: 'nothing', toJSON() { return { type: 'tool', name: 'echo', args: { a: 1 } }; } }; if (r.a !== 1) throw new Error('wrong');",
  ),
  body(
    '__proto__ in the arguments and back',
    CONTAINED,
    `const r = yield ${args('JSON.parse(\'{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}\')')}; if (r.admin !== undefined || ({}).admin !== undefined) throw new Error('wrong');`,
  ),
  body(
    '200,000 keys in the arguments',
    ['EFFECT_TOO_LARGE', CONTAINED],
    `yield ${args("Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => ['k' + i, 1]))").replace('echo', 'sink')};`,
    { limits: { memoryBytes: 128 * 2 ** 20 } },
  ),
  body(
    '100,000 empty lists, again and again',
    'RECORD_TOO_LARGE',
    `const a = new Array(1e5).fill([]); for (;;) yield ${args('{ a }').replace('echo', 'sink')};`,
    { limits: { recordBytes: 2 ** 19 } },
  ),
  body('20,000 messages', CONTAINED, `yield ${messages("new Array(20_000).fill({ role: 'user', content: 'x' })")};`),
  body('an effect of 10 MB', 'EFFECT_TOO_LARGE', `yield ${args("{ a: 'x'.repeat(1e7) }")};`),
  body('an effect of 10 MB of surrogates', 'EFFECT_TOO_LARGE', `yield ${args("{ a: '\\ud800'.repeat(1e6) }")};`),
  body(
    'surrogates, NULs and separators',
    CONTAINED,
    `const r = yield ${args("{ a: '\\ud800\\u0000\\u2028\\uffff' }")}; if (r.a !== '\\ufffd\\u0000\\u2028\\uffff') throw new Error('wrong');`,
  ),
  body(
    'a list with holes, a typed array, a boxed text',
    CONTAINED,
    `const r = yield ${args("{ a: [, 1], b: new Uint8Array([7]), c: new String('x'), d: [undefined, () => 1, NaN] }")}; if (JSON.stringify(r) !== '{"a":[null,1],"b":{"0":7},"c":"x","d":[null,null,null]}') throw new Error('wrong');`,
  ),
];

const wrongAnswer = (value: string): Draft => file(`${value} is returned`, 'ANSWER_SHAPE', harness(`return ${value};`));

export const answers: Draft[] = [
  ...[
    'undefined',
    'null',
    '5',
    "'text'",
    '[]',
    '{}',
    '{ answer: 5 }',
    '{ answer: {} }',
    '{ answer: undefined }',
    "{ answer: new String('x') }",
    '{ answer: Symbol() }',
    '{ answer: 5n }',
    '{ Answer: "x" }',
  ].map(wrongAnswer),
  file('no answer', 'truncated: no_answer', harness('return { answer: null };')),
  file('an answer of 100 MB', 'ANSWER_TOO_LARGE', harness("return { answer: 'x'.repeat(1e8) };"), {
    limits: { memoryBytes: 2 ** 28 },
  }),
  file('an answer of 100 MB in the memory of a rollout', 'MEMORY', harness("return { answer: 'x'.repeat(1e8) };")),
  file('an answer one byte too long', 'ANSWER_TOO_LARGE', harness("return { answer: 'x'.repeat(2 ** 16 + 1) };")),
  file(
    'an answer too long in bytes, not in characters',
    'ANSWER_TOO_LARGE',
    harness("return { answer: 'é'.repeat(2 ** 15 + 1) };"),
  ),
  file('an answer of surrogates', 'ANSWER_TOO_LARGE', harness("return { answer: '\\ud800'.repeat(1e7) };")),
  file('NUL and lone surrogates', 'answered: \u0000\ufffd', harness("return { answer: '\\u0000\\ud800' };")),
];

export const prompts: Draft[] = [
  file('no PROMPTS', 'STRUCTURE', 'export default function* () {}'),
  ...['null', '5', "'text'", '[]', '() => 1', '{ a: 5 }', '{ a: null }', '{ a: { b: 1 } }', '{ a: () => 1 }'].map(
    (value) =>
      file(`PROMPTS is ${value}`, 'STRUCTURE', `export const PROMPTS = ${value};\nexport default function* () {}`),
  ),
  file(
    'a getter that is a text once',
    CONTAINED,
    "let n = 0;\nexport const PROMPTS = { get a() { return n++ ? 5 : 'x'; } };\nexport default function* () { return { answer: typeof PROMPTS.a === 'number' ? 'contained' : 'x' }; }",
  ),
  file(
    'a getter that loops',
    'FUEL',
    'export const PROMPTS = { get a() { for (;;); } };\nexport default function* () {}',
    { limits: { fuel: 50 } },
  ),
  file(
    'a getter that throws',
    'RUNTIME',
    'export const PROMPTS = { get a() { throw 1; } };\nexport default function* () {}',
  ),
  file(
    'a key of 1 MB',
    'STRUCTURE',
    "export const PROMPTS = { ['k'.repeat(1e6)]: 5 };\nexport default function* () {}",
  ),
  file(
    '100,000 keys',
    CONTAINED,
    "export const PROMPTS = Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => ['k' + i, 'x']));\nexport default function* () { return { answer: 'contained' }; }",
  ),
  file(
    'an iterator of arrays that hides the keys',
    'STRUCTURE',
    'Array.prototype[Symbol.iterator] = function* () {};\nexport const PROMPTS = { a: 5 };\nexport default function* () {}',
  ),
  file(
    'a variable that is not set yet',
    'RUNTIME',
    "export default function* () {}\nexport { later as PROMPTS };\nthrow new Error('before');\nlet later = {};",
  ),
];

const filled = (text: string, filler: string): string =>
  text + filler.repeat(Math.floor((256 * 1024 - text.length - 1) / filler.length));

export const sources: Draft[] = [
  file('10 MB', 'SOURCE_TOO_LARGE', ' '.repeat(1e7)),
  file('10 MB in few characters', 'SOURCE_TOO_LARGE', '\u{1f600}'.repeat(2.5e6)),
  file('nothing', 'STRUCTURE', ''),
  file('NULs', 'PARSE', after('\u0000\u0000')),
  file('a comment that is not closed', 'PARSE', after('/*')),
  file('60,000 parentheses', 'PARSE', filled(`${PROMPTS}export default `, '(')),
  file('5,000 blocks in each other', 'PARSE', `${'{'.repeat(5000)}${'}'.repeat(5000)}\n${harness('')}`),
  file('80,000 arrows', 'PARSE', filled(`${harness('')}\n`, 'a=>')),
  file('100,000 type arguments', 'PARSE', filled(`${harness('')}\nf`, '<a')),
  file('a sum of 60,000', [CONTAINED, 'PARSE'], filled(`${after('')}\nconst x = 'a'`, "+'a'")),
  file('a literal of 100,000 elements', CONTAINED, after(`const x = [${'1,'.repeat(100_000)}];`)),
  file(
    'conditions and arrows that could be either',
    CONTAINED,
    after(`const a = 1, b = 2; const x = ${'(a ? '.repeat(30)}b${': 1)'.repeat(30)};`),
  ),
  file('templates in each other', CONTAINED, after(`const x = ${'`${'.repeat(500)}1${'}`'.repeat(500)};`)),
  file('a name of 100 KB', CONTAINED, after(`const ${'a'.repeat(100_000)} = 1;`)),
  file(
    'escapes in names, marks that turn text around, other line ends',
    CONTAINED,
    after('const \\u{61}\\u0062 = 1; /* \u202e \u2066 */ const s = "\u2028\u2029";\r\nab;'),
  ),
  file('lone surrogates in the text', CONTAINED, after("const s = '\ud800\udc00\ud800';")),
  file(
    'a byte order mark and a line for the shell',
    CONTAINED,
    `\ufeff#!/usr/bin/env node\n${after('')}`.replace('\ufeff', ''),
  ),
  file('comments of HTML', 'PARSE', after('<!-- x\n--> y')),
  file('with', 'PARSE', after('with ({}) {}')),
  file('an octal number of old', 'PARSE', after('const x = 010;')),
  file('an enum', 'PARSE', after('enum A { B }')),
  file('a namespace', 'PARSE', after('namespace A { export const b = 1; }')),
  file('a decorator', ['PARSE', 'RUNTIME'], after('function d() {} @d class A {}')),
  file('a declaration twice', 'PARSE', after('let a; let a;')),
  file('a regular expression that is none', 'PARSE', after('const r = /(/;')),
  file('JSX', 'PARSE', after('const x = <div>{1}</div>;')),
];
