import type { Domain } from '@whale/domain-api';
import type { Rejection } from '@whale/proposers';
import { sealedTexts, type SealedText } from './sealed-texts.ts';
import { Phrases, wordsOf } from './words.ts';

/** A piece of a harness that is text, and its line, from 1. */
export interface TextPiece {
  text: string;
  line: number;
}

/** Words of a phrase that is found across pieces as well: 'Who is the ' + 'mayor'. Fewer stand together by chance. */
const ACROSS_PIECES = 4;

const SAID: Record<SealedText, string> = {
  task: 'the text of a task',
  answer: 'the answer of a task',
  'data set': 'the name of the data set',
};

/**
 * A harness must work on tasks that nobody has seen, so it contains no text of those that exist. `pieces` are the
 * strings of the candidate, `own` those of h₀ and of the component variants, where the data set may be named. What it
 * contains is not repeated: it may be sealed.
 */
export function leakIn(pieces: readonly TextPiece[], own: readonly TextPiece[], domain: Domain): Rejection | null {
  const { phrases, dataset } = sealedTexts(domain);
  const words = pieces.flatMap(({ text, line }, piece) => wordsOf(text).map((word) => ({ word, line, piece })));
  const stream = words.map(({ word }) => word);
  const names = new Phrases<SealedText>();
  const isNamed = own.some(({ text }) => contains(wordsOf(text), dataset));
  if (!isNamed) names.add(dataset, 'data set');
  for (const { place, length, label } of [...phrases.in(stream), ...names.in(stream)]) {
    const [first, last] = [words[place], words[place + length - 1]];
    if (length < ACROSS_PIECES && first?.piece !== last?.piece) continue;
    const message = `it contains ${SAID[label]}; a harness works on tasks that nobody has seen: say what holds for all of them`;
    return { stage: 'leak', message, line: first?.line ?? null };
  }
  return null;
}

function contains(words: readonly string[], phrase: readonly string[]): boolean {
  const search = new Phrases<null>();
  search.add(phrase, null);
  return !search.in(words).next().done;
}
