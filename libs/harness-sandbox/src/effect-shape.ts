import { Effect, Message } from '@whale/contracts';
import { z } from 'zod';

const HINT = "yield { type: 'generate', messages, stop?, maxTokens? } or { type: 'tool', name, args }";

/** Levels of objects and arrays in an effect. Code that walks values recurses, and stacks differ between machines. */
const MOST_LEVELS = 100;
const MOST_PROBLEM = 300;
/** Properties that are looked at, of objects that may have no more than five. */
const MOST_KEYS = 16;

/** The effect in `text`, JSON out of a VM, or a sentence about what is wrong with it that its author can act on. */
export function parseEffect(text: string): { effect: Effect } | { problem: string } {
  if (levels(text) > MOST_LEVELS) return { problem: `the effect is nested deeper than ${MOST_LEVELS} levels` };
  const value = parsed(text);
  const { shape, places } = outline(value);
  const { success, error } = Effect.safeParse(shape);
  // The value itself and not zod's copy: the copy drops keys such as `__proto__`.
  if (success) return { effect: value as Effect };
  const issue = error.issues[0];
  const [list, ...inside] = issue?.path ?? [];
  const keys = list === undefined ? [] : [list, ...inside.map((key) => (key === 0 ? (places.get(list) ?? 0) : key))];
  const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const message = excerpt(issue?.message ?? 'not an effect', MOST_PROBLEM);
  return { problem: `effect${path}: ${message} in ${excerpt(text, 160)}; ${HINT}` };
}

/** undefined for what a VM never writes, unless its memory is spoilt. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What the schema has to see of an effect so that it finds the first thing that is wrong. Of 1 MiB it would find 50,000,
 * and walk through `args`, where nothing can be wrong since parsed JSON is JSON: 300 ms of the host's event loop.
 */
function outline(value: unknown): { shape: unknown; places: Map<PropertyKey, number> } {
  const places = new Map<PropertyKey, number>();
  if (!isRecord(value)) return { shape: value, places };
  const shape = fewKeys(value);
  if (isRecord(shape['args'])) shape['args'] = {};
  for (const [name, element] of [['messages', Message] as const, ['stop', z.string()] as const]) {
    const list = shape[name];
    if (!Array.isArray(list)) continue;
    const place = Math.max(
      0,
      list.findIndex((item) => !element.safeParse(fewKeys(item)).success),
    );
    places.set(name, place);
    shape[name] = list.slice(place, place + 1).map(fewKeys);
  }
  return { shape, places };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fewKeys(value: Record<string, unknown>): Record<string, unknown>;
function fewKeys(value: unknown): unknown;
function fewKeys(value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).slice(0, MOST_KEYS)) : value;
}

function levels(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth -= 1;
  }
  return deepest;
}

function excerpt(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
