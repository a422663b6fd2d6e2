import type { HarnessLimitsInput } from '../../limits.ts';
import { harness, PROMPTS } from '../sources.ts';

/** One hostile harness and what must come of it. */
export interface Attack {
  /** Unique. */
  name: string;
  /** Set by `attacks`. */
  kind: string;
  source: string;
  /**
   * The outcomes that are right: the code of a harness_error, `answered`, `answered: <text>` or `truncated: <reason>`.
   * More than one only where a bug that QuickJS has had is tried, which a later version may answer otherwise.
   */
  expect: readonly string[];
  limits?: HarnessLimitsInput;
}

export const CONTAINED = 'answered: contained';

/** The name of the tool that an attack calls when it has got out. Nothing else calls it. */
export const ESCAPED = 'ESCAPED';

type Options = Pick<Attack, 'limits'>;

/** A complete source. */
export function file(name: string, expect: string | readonly string[], source: string, options: Options = {}) {
  return { name, expect: typeof expect === 'string' ? [expect] : expect, source, ...options };
}

/** The body of a harness; it returns `{ answer: 'contained' }` where it does not say otherwise. */
export function body(name: string, expect: string | readonly string[], text: string, options: Options = {}) {
  return file(name, expect, harness(`${text}\nreturn { answer: 'contained' };`), options);
}

/** Code at the top of the module, then a harness that does its work with two effects. */
export function load(name: string, expect: string | readonly string[], text: string, options: Options = {}) {
  const work = `for (let n = 0; n < 2; n++) {
    const r = yield { type: 'tool', name: 'echo', args: { a: [1, 'x'] } };
    if (r.a[1] !== 'x') throw new Error('wrong');
  }`;
  return file(name, expect, `${text}\n${harness(`${work}\nreturn { answer: 'contained' };`)}`, options);
}

/**
 * Expressions that must throw or give undefined: what they give else is an escape. `task`, `limits` and `result` (of a
 * tool) are in scope.
 */
export function reach(name: string, ...expressions: string[]) {
  const attempts = expressions.map((expression) => `() => (${expression})`).join(',\n');
  return body(
    name,
    CONTAINED,
    `const result = yield { type: 'tool', name: 'echo', args: { list: [1], object: { a: 1 } } };
    for (const attempt of [${attempts}]) {
      let found;
      try { found = attempt(); } catch { continue; }
      if (found !== undefined) yield { type: 'tool', name: '${ESCAPED}', args: { by: String(attempt) } };
    }`,
  );
}

/** A complete harness after some code. */
export function after(code: string): string {
  return `${code}\n${PROMPTS}export default function* () { return { answer: 'contained' }; }`;
}

export type Draft = Omit<Attack, 'kind'>;
