/**
 * What runs in a VM before the harness: takes away what is not deterministic, adds `generate` and `tool`, and keeps the
 * driver. The driver holds its own copies of the intrinsics, since a harness may overwrite any global.
 *
 * Each driver function gives a text whose first character says what it is:
 *   E an effect (JSON)       A an answer (JSON string or null)      L an effect or answer that is too long
 *   X a thrown value         M a native function had no memory      S the module has not the shape of a harness
 *   J an effect that JSON cannot carry     Y a yielded value that is none     W a wrong return value
 * X and J carry the JSON of { name, message, stack }; S, Y and W words; L `effect` or `answer`.
 *
 * 1. The driver uses no built-in that the harness can replace.
 * 2. No text is longer than what may cross: an effect or answer by its limit, words by MOST_WORDS.
 */
export const PRELUDE = String.raw`(() => {
  'use strict';
  for (const name of ['Promise', 'queueMicrotask', 'SharedArrayBuffer', 'eval', 'AsyncDisposableStack']) {
    delete globalThis[name];
  }
  delete Math.random;
  delete Error.prepareStackTrace;

  const { parse, stringify } = JSON;
  const { getPrototypeOf, keys, defineProperty, freeze } = Object;
  const { apply } = Reflect;
  const { isArray } = Array;
  const { slice } = String.prototype;
  const text = String;
  const MOST_WORDS = 2000;
  const words = (value) => {
    const all = text(value);
    return all.length > MOST_WORDS ? apply(slice, all, [0, MOST_WORDS]) + '…' : all;
  };
  freeze(InternalError.prototype);
  const generatorFunction = getPrototypeOf(function* () {});
  const next = generatorFunction.prototype.next;

  const provide = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true });
  provide('generate', function* generate(messages, options) {
    return yield { ...options, type: 'generate', messages };
  });
  provide('tool', function* tool(name, args) {
    return yield { type: 'tool', name, args: args === undefined ? {} : args };
  });

  const kind = (value) => {
    if (value === null) return 'null';
    if (isArray(value)) return 'an array';
    const type = typeof value;
    return type === 'undefined' ? 'undefined' : type === 'object' ? 'an object' : 'a ' + type;
  };
  const describe = (thrown) => {
    let name = '';
    let message = 'threw a value that cannot be described';
    let stack = '';
    try {
      if (typeof thrown !== 'object' || thrown === null) {
        const shown = words(thrown);
        message = 'threw ' + (typeof thrown === 'string' ? stringify(shown) : shown) + ', which is not an Error';
      } else {
        const own = thrown.stack;
        if (typeof own === 'string') {
          name = words(thrown.name);
          message = words(thrown.message);
          stack = words(own);
        } else {
          message = 'threw ' + kind(thrown) + ', which is not an Error';
        }
      }
    } catch {}
    return stringify({ __proto__: null, name, message, stack });
  };

  // Some native functions fail for want of memory without an error: what is thrown then is of no type at all.
  const thrownAs = (letter, thrown) => (typeof thrown === 'unknown' ? 'M' : letter + describe(thrown));

  let generator;
  let most;
  const start = (module, task, limits, bounds) => {
    try {
      most = parse(bounds);
      const main = module.default;
      if (main === undefined) return 'Sthere is no default export';
      if (typeof main !== 'function') return 'Sthe default export is ' + kind(main) + ', not a generator function';
      if (getPrototypeOf(main) !== generatorFunction) {
        return 'Sthe default export is a function, but not a generator function: write function*';
      }
      const prompts = module.PROMPTS;
      if (prompts === undefined) return 'Sthere is no export named PROMPTS';
      if (typeof prompts !== 'object' || prompts === null || isArray(prompts)) {
        return 'SPROMPTS is ' + kind(prompts) + ', not a record of strings';
      }
      const names = keys(prompts);
      for (let i = 0; i < names.length; i++) {
        const prompt = prompts[names[i]];
        if (typeof prompt !== 'string') return 'SPROMPTS.' + words(names[i]) + ' is ' + kind(prompt) + ', not a string';
      }
      generator = apply(main, undefined, [parse(task), parse(limits)]);
    } catch (thrown) {
      return thrownAs('X', thrown);
    }
    return step('null');
  };
  const step = (result) => {
    let value;
    try {
      const turn = apply(next, generator, [parse(result)]);
      value = turn.value;
      if (turn.done) {
        if (typeof value !== 'object' || value === null) return 'Wreturned ' + kind(value);
        const answer = value.answer;
        if (answer === null) return 'Anull';
        if (typeof answer !== 'string') return 'Wreturned an answer that is ' + kind(answer);
        return answer.length > most.answer ? 'Lanswer' : 'A' + stringify(answer);
      }
    } catch (thrown) {
      return thrownAs('X', thrown);
    }
    try {
      const effect = stringify(value);
      if (typeof effect !== 'string') return 'Y' + kind(value);
      return effect.length > most.effect ? 'Leffect' : 'E' + effect;
    } catch (thrown) {
      return thrownAs('J', thrown);
    }
  };
  const raised = (...thrown) => {
    delete globalThis.__driver;
    return thrownAs('X', thrown[0]);
  };
  provide('__driver', { __proto__: null, start, step, raised });
})();
0`;
