import type * as TS from 'typescript';

export interface Directive {
  position: number;
  message: string;
  hint: string;
}

/** What the parser keeps of comments that the compiler obeys, and its declarations keep to themselves. */
interface Obeyed {
  commentDirectives?: readonly { range: TS.TextRange; type: number }[];
  pragmas: ReadonlyMap<string, Pragma | readonly Pragma[]>;
}

interface Pragma {
  range: TS.TextRange;
}

/** Asks for what is done anyway. */
const HARMLESS = 'ts-check';
const TYPES_HINT = "mend the type, or write `as any` where the compiler can't know";
const REFERENCE_HINT = 'what it may use is in harness.d.ts, without reference';
const OTHER_HINT = 'leave the comment out';

/**
 * Comments with which a source would steer its own check: they switch types off or bring other types in. It is the
 * compiler's own reading of the file, so what only looks like one, in a string or further down, is none.
 */
export function directivesOf(file: TS.SourceFile): Directive[] {
  const { commentDirectives = [], pragmas } = file as TS.SourceFile & Obeyed;
  const found = new Map<number, Directive>();
  for (const { range } of commentDirectives) {
    const [text = 'the comment'] = /@ts-[a-z-]+/.exec(file.text.slice(range.pos, range.end)) ?? [];
    found.set(range.pos, { position: range.pos, ...switchesOff(text) });
  }
  for (const [name, given] of pragmas) {
    if (name === HARMLESS) continue;
    for (const { range } of [given].flat()) found.set(range.pos, { position: range.pos, ...saidOf(name) });
  }
  return [...found.values()].sort((a, b) => a.position - b.position);
}

function switchesOff(name: string): Omit<Directive, 'position'> {
  return { message: `a harness does not switch its types off: no ${name}`, hint: TYPES_HINT };
}

function saidOf(name: string): Omit<Directive, 'position'> {
  if (name === 'ts-nocheck') return switchesOff(`@${name}`);
  if (name === 'reference') return { message: 'a harness imports nothing: no /// <reference>', hint: REFERENCE_HINT };
  const shown = name.startsWith('amd-') ? `/// <${name}>` : `@${name}`;
  return { message: `a harness has no directives for the compiler: no ${shown}`, hint: OTHER_HINT };
}
