import type { Domain, Task } from '@whale/domain-api';
import { Split } from '@whale/contracts';
import type { JsonValue } from '@whale/kernel';
import { Phrases, wordsOf } from './words.ts';

export type SealedText = 'task' | 'answer' | 'data set';

/** Words of a task's text that must stand together to be its text; all of them, where it has fewer. */
const RUN = 12;
/** A shorter text of a task says nothing that is the task's own. */
const FEWEST_WORDS = 3;
/** Characters of the longest word of an answer; what is shorter ("42", "e4", "yes") stands everywhere. */
const LEAST_CHARACTERS = 4;
/** An answer of so many tasks, or a word in the inputs of so many, is vocabulary. */
const COMMON_SHARE = 0.005;
const COMMON_TASKS = 5;
const LABEL_SHARE = 0.05;

const known = new WeakMap<Domain, Phrases<SealedText>>();

/**
 * The texts of a domain that no harness may contain: questions and gold answers of all splits. Left out is what every
 * author of a harness may write: what stands in h₀, the domain's description, types and component variants; and words
 * that too many tasks share to tell of one.
 */
export function sealedTexts(domain: Domain): Phrases<SealedText> {
  let texts = known.get(domain);
  if (texts === undefined) {
    texts = collect(domain);
    known.set(domain, texts);
  }
  return texts;
}

function collect(domain: Domain): Phrases<SealedText> {
  const tasks = Split.options.flatMap((split) => domain.tasks(split));
  const inputs = tasks.map(inputWords);
  const sealed = [...taskRuns(inputs), ...answers(domain, tasks, inputs)];
  const candidates = new Phrases<readonly string[]>();
  for (const { words } of sealed) candidates.add(words, words);
  const open = new Set<string>();
  for (const text of publicTexts(domain)) {
    for (const { label } of candidates.in(wordsOf(text))) open.add(label.join(' '));
  }
  const phrases = new Phrases<SealedText>();
  for (const { words, of } of sealed) if (!open.has(words.join(' '))) phrases.add(words, of);
  return phrases;
}

interface Sealed {
  words: readonly string[];
  of: SealedText;
}

function publicTexts({ seedHarness, components, description, harnessTypes, diagnostics }: Domain): string[] {
  const variants = components.flatMap(({ source, hypothesis }) => [source, hypothesis]);
  return [seedHarness, description, harnessTypes, ...variants, ...Object.values(diagnostics)];
}

/** One list of words for each text of the input. */
function inputWords({ input }: Task): string[][] {
  return textsIn({ ...input })
    .map(wordsOf)
    .filter((words) => words.length >= FEWEST_WORDS);
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Runs of words that stand in the input of one task only: what several share is a pattern, and may be written. */
function taskRuns(inputs: readonly (readonly string[][])[]): Sealed[] {
  const owners = new Map<string, { words: readonly string[]; task: number; shared: boolean }>();
  inputs.forEach((texts, task) => {
    for (const words of texts.flatMap(runsOf)) {
      const key = words.join(' ');
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, { words, task, shared: false });
      else if (owner.task !== task) owner.shared = true;
    }
  });
  return [...owners.values()].filter(({ shared }) => !shared).map(({ words }) => ({ words, of: 'task' }));
}

/** The whole of a short text; blocks of a long one, so that whoever quotes two blocks' words in a row quotes one whole. */
function runsOf(words: readonly string[]): string[][] {
  const last = Math.max(0, words.length - RUN);
  const starts = Array.from({ length: Math.ceil(last / RUN) }, (_, block) => block * RUN);
  return [...starts, last].map((from) => words.slice(from, from + RUN));
}

function answers(domain: Domain, tasks: readonly Task[], inputs: readonly (readonly string[][])[]): Sealed[] {
  const golds = new Map<string, { words: readonly string[]; tasks: number }>();
  for (const task of tasks) {
    const own = new Map(domain.gold(task.id).map((gold) => [wordsOf(gold).join(' '), wordsOf(gold)]));
    for (const [key, words] of own) golds.set(key, { words, tasks: (golds.get(key)?.tasks ?? 0) + 1 });
  }
  const spread = new Map<string, number>();
  for (const texts of inputs) {
    for (const word of new Set(texts.flat())) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  const isCommon = (word: string): boolean =>
    (spread.get(word) ?? 0) >= Math.max(COMMON_TASKS, COMMON_SHARE * tasks.length);
  return [...golds.values()]
    .filter(({ tasks: shared }) => shared < COMMON_TASKS || shared < LABEL_SHARE * tasks.length)
    .filter(({ words }) => words.some((word) => word.length >= LEAST_CHARACTERS && !isCommon(word)))
    .flatMap(({ words }) => runsOf(words).map((run): Sealed => ({ words: run, of: 'answer' })));
}
