import type { ToolCall } from '../brain.ts';
import type { Step, ToolAnswer } from './replay.ts';

/** Reading goes on over several answers where a file is long. */
export type Reading<T> = Generator<Step, T, readonly ToolAnswer[]>;

/** What is said while something is read. */
export type Words = Omit<Step, 'calls'>;

const MOST_PARTS = 20;

/** The texts of files, in order, asked for at once; undefined for one that can't be read. */
export function* readFiles(paths: readonly string[], words: Words = {}): Reading<(string | undefined)[]> {
  const first = yield { ...words, calls: paths.map((path) => read(path)) };
  const texts: (string | undefined)[] = [];
  for (const [place, path] of paths.entries()) {
    const answer = first[place];
    texts.push(answer === undefined || answer.isError ? undefined : yield* wholeOf(path, answer.text));
  }
  return texts;
}

/** The first lines of files, asked for at once; undefined for one that can't be read. */
export function* readBeginnings(
  paths: readonly string[],
  lines: number,
  words: Words = {},
): Reading<(string | undefined)[]> {
  const answers = yield { ...words, calls: paths.map((path) => read(path, 1, lines)) };
  return answers.map(({ text, isError }) => (isError ? undefined : linesOf(text).join('\n')));
}

/** Each line of a JSONL text that is a JSON object. */
export function jsonLinesOf(text: string | undefined): Record<string, unknown>[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const value = jsonOf(line);
    return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : [];
  });
}

/** Undefined where the text is no JSON. */
export function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function* wholeOf(path: string, first: string): Reading<string> {
  const lines = linesOf(first);
  let answer = first;
  for (let part = 1; part < MOST_PARTS; part++) {
    const from = /^\[.*go on with from_line (\d+)\]$/mu.exec(answer)?.[1];
    if (from === undefined) break;
    const [next] = yield { calls: [read(path, Number(from))] };
    if (next === undefined || next.isError) break;
    answer = next.text;
    lines.push(...linesOf(answer));
  }
  // The tool does not tell of the last line break; texts have one.
  return lines.map((line) => `${line}\n`).join('');
}

function read(path: string, from?: number, to?: number): ToolCall {
  return {
    name: 'read_file',
    input: {
      path,
      ...(from === undefined ? {} : { from_line: from }),
      ...(to === undefined ? {} : { to_line: to }),
    },
  };
}

/** The file's own lines: the tool numbers them and puts its remarks, which have no number, below. */
function linesOf(answer: string): string[] {
  return answer.split('\n').flatMap((line) => {
    const found = /^\d+\t(.*)$/su.exec(line);
    return found === null ? [] : [found[1] ?? ''];
  });
}
