import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFolder, readText, sizeOf } from '../tools/files.ts';
import { Refusal } from '../tools/path.ts';
import type { Secrets } from './environment.ts';

/** `candidates/<name>.ts` and, if there is one, `candidates/<name>.json`, as they were written. */
export interface CandidateFile {
  name: string;
  source: string;
  /** Text of the JSON file. */
  notes: string | null;
}

/** A candidate that could not be taken, and why. */
export interface RefusedFile {
  name: string;
  why: string;
}

export interface Found {
  files: CandidateFile[];
  refused: RefusedFile[];
}

const FOLDER = 'candidates';
const TASK = 'task.md';
const MOST_FILES = 256;
const MOST_SOURCE_BYTES = 256 << 10;
const MOST_NOTES_BYTES = 64 << 10;
const MOST_BYTES = 16 << 20;
const NAME = /^[A-Za-z0-9_][\w.-]{0,79}$/u;
const VERDICT = '.rejected';

/**
 * `candidates/` of a workspace that a foreign program writes into. Invariants, each named by a test:
 * D1 Only regular files of bounded size that hold UTF-8 text are read, and not more than MOST_FILES; what is not taken
 *    is told with the reason.
 * D2 Nothing outside the folder is read or written, whatever links lie in it.
 */
export class CandidateFolder {
  readonly #workspace: string;
  readonly #secrets: Secrets;

  constructor(workspace: string, secrets: Secrets) {
    this.#workspace = workspace;
    this.#secrets = secrets;
  }

  /** All candidates, by name. */
  async read(): Promise<Found> {
    const found: Found = { files: [], refused: [] };
    let bytes = 0;
    const present = await this.#present(found.refused);
    const names = [...present]
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .map((file) => file.slice(0, -'.ts'.length));
    for (const name of names.slice(0, MOST_FILES)) {
      try {
        const file = await this.#file(name, present.has(`${name}.json`));
        bytes += Buffer.byteLength(file.source) + Buffer.byteLength(file.notes ?? '');
        if (bytes > MOST_BYTES) throw new Refusal(`All candidates together have more than ${MOST_BYTES} bytes.`);
        found.files.push(file);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        found.refused.push({ name, why: error.message });
      }
    }
    if (names.length > MOST_FILES) {
      const more = names.length - MOST_FILES;
      found.refused.push({ name: '', why: `${more} more files are not looked at; at most ${MOST_FILES} are.` });
    }
    return found;
  }

  /** Puts back what an earlier process has found. */
  async restore(files: readonly CandidateFile[]): Promise<void> {
    await this.#make();
    for (const { name, source, notes } of files) {
      await this.#write([FOLDER, `${name}.ts`], source);
      if (notes !== null) await this.#write([FOLDER, `${name}.json`], notes);
    }
  }

  /** Writes task.md, beside the folder. */
  async task(text: string): Promise<void> {
    await this.#write([TASK], text);
  }

  /** Leaves `<name>.rejected.json` beside the candidate, or takes it away. */
  async tell(name: string, verdict: object | null): Promise<void> {
    if (!NAME.test(name)) return;
    await this.#make();
    const file = `${name}${VERDICT}.json`;
    if (verdict === null) await rm(join(this.#workspace, FOLDER, file), { recursive: true, force: true });
    else await this.#write([FOLDER, file], `${JSON.stringify(verdict, null, 2)}\n`);
  }

  /** Names of what is in the folder, sorted. */
  async #present(refused: RefusedFile[]): Promise<Set<string>> {
    try {
      const entries = await readFolder(this.#workspace, [FOLDER]);
      return new Set(entries.map(({ name }) => name));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.push({ name: '', why: error.message });
      return new Set();
    }
  }

  async #file(name: string, hasNotes: boolean): Promise<CandidateFile> {
    if (!NAME.test(name) || name.endsWith(VERDICT)) {
      throw new Refusal('The name of a candidate is letters, digits, ".", "_" and "-", at most 80.');
    }
    const source = await this.#text(`${name}.ts`, MOST_SOURCE_BYTES);
    const notes = hasNotes ? await this.#text(`${name}.json`, MOST_NOTES_BYTES) : null;
    const secret = this.#secrets.in(`${source}\n${notes ?? ''}`);
    if (secret !== undefined) throw new Refusal(`It holds the value of the environment variable ${secret}.`);
    return { name, source, notes };
  }

  async #text(file: string, most: number): Promise<string> {
    const size = (await sizeOf(this.#workspace, [FOLDER, file])) ?? 0;
    if (size > most) throw new Refusal(`${FOLDER}/${file} has ${size} bytes; at most ${most} are allowed.`);
    return readText(this.#workspace, [FOLDER, file]);
  }

  async #write(path: readonly string[], text: string): Promise<void> {
    const file = join(this.#workspace, ...path);
    // Whatever stands there is removed and not followed.
    await rm(file, { recursive: true, force: true });
    await writeFile(file, text, { flag: 'wx' });
  }

  /** The program may have removed the folder, or put something else in its place. */
  async #make(): Promise<void> {
    const path = join(this.#workspace, FOLDER);
    try {
      await readFolder(this.#workspace, [FOLDER]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await rm(path, { recursive: true, force: true });
      await mkdir(path);
    }
  }
}
