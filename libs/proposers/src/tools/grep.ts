import { z } from 'zod';
import { kindOf, readFolder, readText } from './files.ts';
import { LineSearch, SearchStopped, type FoundLine, type Pattern } from './line-search.ts';
import { componentsOf, pathOf, Refusal } from './path.ts';
import { answering, done, type ToolResult, type WorkspaceTool } from './tool.ts';

const MOST_MATCHES = 200;
const DEFAULT_MATCHES = 50;
/** UTF-8 bytes of matching lines that one call gives. */
const MOST_BYTES = 64 << 10;
/** For one file: honest patterns need milliseconds. */
const FILE_LIMIT_MS = 10_000;
/** For all files of one call. */
const CALL_LIMIT_MS = 30_000;
const MOST_NOTES = 10;

const Input = z.strictObject({
  pattern: z.string().min(1).max(1_000).describe('A JavaScript regular expression; it is tried on each line alone'),
  path: z.string().optional().describe('A file, or a folder with all below it; the whole workspace when absent'),
  max_matches: z.int().min(1).max(MOST_MATCHES).optional().describe(`Lines to show, ${DEFAULT_MATCHES} when absent`),
  ignore_case: z.boolean().optional(),
});
type GrepInput = z.infer<typeof Input>;

export const grepTool: WorkspaceTool<GrepInput> = grepWithin({ fileMs: FILE_LIMIT_MS, callMs: CALL_LIMIT_MS });

/** The tool under given limits of wall time, ms. */
export function grepWithin(limits: { fileMs: number; callMs: number }): WorkspaceTool<GrepInput> {
  return {
    name: 'grep',
    description:
      'Searches text files of the workspace for lines that match a regular expression. Shows path, line number and ' +
      'line, and counts the matches that it does not show.',
    input: Input,
    run: (input, { root, signal }) =>
      answering(async () => {
        signal.throwIfAborted();
        const components = componentsOf(input.path ?? '');
        const isFile = (await kindOf(root, components)) === 'file';
        const late = AbortSignal.timeout(limits.callMs);
        const { pattern, note } = patternOf(input);
        const findings = new Findings(input.max_matches ?? DEFAULT_MATCHES, note);
        const search = new LineSearch(pattern, limits.fileMs, signal);
        try {
          if (isFile) await findings.take(components, await readText(root, components), search);
          else {
            for await (const file of filesBelow(root, components)) {
              const text = await readText(root, file).catch((error) => findings.pass(error));
              if (text !== null) await findings.take(file, text, search);
              if (!late.aborted) continue;
              findings.note(`Stopped after ${limits.callMs / 1000} s, not all files were searched: give a path`);
              break;
            }
          }
        } finally {
          await search.close();
        }
        return findings.result();
      }),
  };
}

/** What matches so far, within the bounds of one answer. */
class Findings {
  readonly #most: number;
  readonly #lines: string[] = [];
  readonly #notes: string[];
  readonly #shownFiles = new Set<string>();
  #left = MOST_BYTES;
  #matching = 0;
  #matchingFiles = 0;
  #files = 0;

  constructor(most: number, note: string | null) {
    this.#most = most;
    this.#notes = note === null ? [] : [note];
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** Notes a file that could not be read. Throws what is no Refusal. */
  pass(error: unknown): null {
    if (!(error instanceof Refusal)) throw error;
    this.note(`Not searched: ${error.message}`);
    return null;
  }

  /** Throws Refusal when the search had to be given up. */
  async take(file: readonly string[], text: string, search: LineSearch): Promise<void> {
    const path = pathOf(file);
    try {
      const { shown, matching } = await search.lines(text, this.#most - this.#lines.length);
      this.#files++;
      this.#matching += matching;
      if (matching > 0) this.#matchingFiles++;
      for (const line of shown) this.#show(path, line);
    } catch (error) {
      if (!(error instanceof SearchStopped)) throw error;
      throw new Refusal(
        `The search for this pattern in ${path} was given up: ${error.message}. Use a simpler pattern.`,
      );
    }
  }

  result(): ToolResult {
    const hidden = this.#matching - this.#lines.length;
    const files = `${this.#files} ${this.#files === 1 ? 'file' : 'files'}`;
    if (this.#matching === 0) this.note(`No line matches in ${files}.`);
    else if (hidden > 0) {
      this.note(
        `${hidden} more matching lines are not shown: ${this.#matching} in ${this.#matchingFiles} of ${files}.`,
      );
    }
    const shownNotes = this.#notes.slice(0, MOST_NOTES);
    const more = this.#notes.length - shownNotes.length;
    if (more > 0) shownNotes.push(`… and ${more} further remarks.`);
    const text = [...this.#lines, ...shownNotes.map((note) => `[${note}]`)].join('\n');
    return done(text, [...this.#shownFiles]);
  }

  #show(path: string, { number, text }: FoundLine): void {
    const line = `${path}:${number}: ${text}`;
    const bytes = Buffer.byteLength(line) + 1;
    if (bytes > this.#left) {
      this.#left = 0;
      return;
    }
    this.#left -= bytes;
    this.#lines.push(line);
    this.#shownFiles.add(path);
  }
}

/** The files below a folder, folder by folder, by name. Links and what is no file are passed over. */
async function* filesBelow(root: string, folder: readonly string[]): AsyncGenerator<readonly string[]> {
  for (const { name, kind } of await readFolder(root, folder)) {
    const below = [...folder, name];
    if (kind === 'file') yield below;
    else if (kind === 'folder') yield* filesBelow(root, below);
  }
}

/** A pattern that is no regular expression is searched for as it stands, which is said. */
function patternOf({ pattern, ignore_case }: GrepInput): { pattern: Pattern; note: string | null } {
  const flags = ignore_case === true ? 'i' : '';
  for (const candidate of [`u${flags}`, flags]) {
    if (problemOf(pattern, candidate) === null) return { pattern: { source: pattern, flags: candidate }, note: null };
  }
  const source = pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const note = `${problemOf(pattern, flags)}: searched for the pattern as plain text.`;
  return { pattern: { source, flags }, note };
}

function problemOf(source: string, flags: string): string | null {
  try {
    new RegExp(source, flags);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
