import { Effect } from '@whale/contracts';

const HINT = "yield { type: 'generate', messages, stop?, maxTokens? } or { type: 'tool', name, args }";

/** The effect in `text`, or a sentence about what is wrong with it that its author can act on. */
export function parseEffect(text: string): { effect: Effect } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    const parsed = Effect.safeParse(value);
    // The value itself and not zod's copy: the copy drops keys such as `__proto__`.
    if (parsed.success) return { effect: value as Effect };
    const issue = parsed.error.issues[0];
    const path = (issue?.path ?? []).map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    return { problem: `effect${path}: ${issue?.message ?? 'not an effect'} in ${excerpt(text)}; ${HINT}` };
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'the effect is nested too deeply' };
    return { problem: `not an effect: ${excerpt(text)}; ${HINT}` };
  }
}

function excerpt(text: string): string {
  return text.length <= 160 ? text : `${text.slice(0, 160)}…`;
}
