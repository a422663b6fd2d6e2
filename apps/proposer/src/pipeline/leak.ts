import type { Domain } from '@whale/domain-api';
import type { HarnessChecker, Literal } from '@whale/harness-sandbox';
import type { Rejection } from '@whale/proposers';
import { sealedTexts, type SealedText } from './sealed-texts.ts';
import { Phrases, wordsOf } from './words.ts';

type Reader = Pick<HarnessChecker, 'literalsOf'>;

/** What the program can say. Names and numbers are left out: they are the author's own, and equal an answer by chance. */
const SPOKEN: ReadonlySet<Literal['kind']> = new Set(['string', 'template', 'regexp']);
/** Words of a phrase that is found across pieces as well: 'Who is the ' + 'mayor of'. Fewer stand together by chance. */
const ACROSS_PIECES = 4;
/** Characters of a data set's name that is one word: "dev" and "one" say nothing. */
const LEAST_NAME = 4;

/** Task or answer is not told apart: whoever tries words would learn which ones are answers. */
const SAID: Record<SealedText, string> = {
  task: 'a text of the data',
  answer: 'a text of the data',
  'data set': 'the name of the data set',
};

/**
 * A harness must work on tasks that nobody has seen, so no text of those that exist stands in it, comments included: the
 * next author reads them. What is found is not repeated, since it may be sealed.
 */
export async function leakIn(source: string, domain: Domain, reader: Reader): Promise<Rejection | null> {
  const literals = await reader.literalsOf(source);
  const spoken = literals.filter(({ kind }) => SPOKEN.has(kind));
  const comments = literals.filter(({ kind }) => kind === 'comment');
  const phrases = sealedTexts(domain);
  const found =
    firstIn(spoken, phrases) ?? firstIn(comments, phrases) ?? firstIn(spoken, await datasetName(domain, reader));
  if (found === null) return null;
  const rule = 'a harness works on tasks that nobody has seen: write what holds for all of them';
  return { stage: 'leak', message: `it contains ${SAID[found.of]}; ${rule}`, line: found.line };
}

function firstIn(pieces: readonly Literal[], phrases: Phrases<SealedText>): { of: SealedText; line: number } | null {
  const words = pieces.flatMap(({ text, line }, piece) => wordsOf(text).map((word) => ({ word, line, piece })));
  for (const { place, length, label } of phrases.in(words.map(({ word }) => word))) {
    const [first, last] = [words[place], words[place + length - 1]];
    if (first === undefined || last === undefined) continue;
    if (length >= ACROSS_PIECES || first.piece === last.piece) return { of: label, line: first.line };
  }
  return null;
}

const names = new WeakMap<Domain, Promise<Phrases<SealedText>>>();

/** The name of the data set, unless the domain's own sources say it, or it is a word that says nothing. */
function datasetName(domain: Domain, reader: Reader): Promise<Phrases<SealedText>> {
  let name = names.get(domain);
  if (name === undefined) {
    name = nameOf(domain, reader);
    names.set(domain, name);
    name.catch(() => names.delete(domain));
  }
  return name;
}

async function nameOf(domain: Domain, reader: Reader): Promise<Phrases<SealedText>> {
  const name = new Phrases<SealedText>();
  const words = wordsOf(domain.dataset);
  const isTelling = words.length > 1 || (words[0] ?? '').length >= LEAST_NAME;
  if (!isTelling || words.join(' ') === wordsOf(domain.name).join(' ')) return name;
  name.add(words, 'data set');
  for (const source of [domain.seedHarness, ...domain.components.map((variant) => variant.source)]) {
    const spoken = (await reader.literalsOf(source)).filter(({ kind }) => SPOKEN.has(kind));
    if (firstIn(spoken, name) !== null) return new Phrases<SealedText>();
  }
  return name;
}
