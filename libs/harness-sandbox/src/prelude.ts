/**
 * What runs in a VM before the harness: takes away what is not deterministic, adds `generate` and `tool`, and keeps the
 * driver. The driver holds its own copies of the intrinsics, since a harness may overwrite any global.
 *
 * Each driver function gives a text whose first character says what it is:
 *   E an effect (JSON)       A an answer (JSON string or null)
 *   X a thrown value         S the module has not the shape of a harness
 *   J an effect that JSON cannot carry     Y a yielded value that is none     W a wrong return value
 * X and J carry the JSON of { name, message, stack }; S, Y and W words.
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
  const text = String;
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
        message = 'threw ' + (typeof thrown === 'string' ? stringify(thrown) : text(thrown)) + ', which is not an Error';
      } else {
        const own = thrown.stack;
        if (typeof own === 'string') {
          name = text(thrown.name);
          message = text(thrown.message);
          stack = own;
        } else {
          message = 'threw ' + kind(thrown) + ', which is not an Error';
        }
      }
    } catch {}
    return stringify({ __proto__: null, name, message, stack });
  };

  let generator;
  const start = (module, task, limits) => {
    try {
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
      for (const key of keys(prompts)) {
        if (typeof prompts[key] !== 'string') return 'SPROMPTS.' + key + ' is ' + kind(prompts[key]) + ', not a string';
      }
      generator = apply(main, undefined, [parse(task), parse(limits)]);
    } catch (thrown) {
      return 'X' + describe(thrown);
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
        return typeof answer === 'string' ? 'A' + stringify(answer) : 'Wreturned an answer that is ' + kind(answer);
      }
    } catch (thrown) {
      return 'X' + describe(thrown);
    }
    try {
      const effect = stringify(value);
      return typeof effect === 'string' ? 'E' + effect : 'Y' + kind(value);
    } catch (thrown) {
      return 'J' + describe(thrown);
    }
  };
  const raised = (...thrown) => {
    delete globalThis.__driver;
    return 'X' + describe(thrown[0]);
  };
  provide('__driver', { __proto__: null, start, step, raised });
})();
0`;
