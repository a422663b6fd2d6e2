import type { JsonValue } from '@whale/kernel';
import type { Trial, TriedEffect } from '../session.ts';
import { clip } from '../workspace/text.ts';

/** Characters of one value that is shown, and of all trials of a call. */
const MOST_VALUE = 1_500;
const MOST_TRIAL = 6_000;

/** What trials did, for the model; of a long one the beginning and the end. */
export function trialsText(trials: readonly Trial[]): string {
  return trials.map(trialText).join('\n\n');
}

function trialText({ taskId, effects, end }: Trial): string {
  const lines = effects.map((tried, place) => effectText(tried, place + 1));
  return `Task ${taskId}\n${middleOut(lines, MOST_TRIAL)}\n  ended: ${show(end)}`;
}

function effectText({ effect, result, from }: TriedEffect, number: number): string {
  const source = { recorded: 'recorded', tool: 'live', nothing: 'nothing recorded answers this' }[from];
  const answer = from === 'nothing' ? `(${source})` : `(${source}) ${show(result)}`;
  return `  ${number}. ${show(lastSaid(effect))}\n     ${answer}`;
}

/** Of the messages of a `generate` only the last is shown: the harness is what the reader has written itself. */
function lastSaid(effect: JsonValue): JsonValue {
  if (typeof effect !== 'object' || effect === null || Array.isArray(effect)) return effect;
  const { messages, ...rest } = effect;
  if (!Array.isArray(messages)) return effect;
  return { ...rest, messages: messages.length, last: messages.at(-1) ?? null };
}

function show(value: JsonValue): string {
  return clip(JSON.stringify(value), MOST_VALUE);
}

function middleOut(lines: readonly string[], most: number): string {
  const head: string[] = [];
  const tail: string[] = [];
  let left = most;
  for (let near = 0, far = lines.length - 1; near <= far;) {
    const takesTail = tail.length < head.length;
    const line = lines[takesTail ? far : near] as string;
    if (line.length > left && head.length > 0)
      return [...head, `  … ${far - near + 1} effects not shown`, ...tail].join('\n');
    left -= line.length;
    if (takesTail) tail.unshift(line);
    else head.push(line);
    if (takesTail) far--;
    else near++;
  }
  return [...head, ...tail].join('\n');
}
