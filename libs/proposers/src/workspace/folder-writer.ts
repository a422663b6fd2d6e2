import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { partName } from './names.ts';

/** UTF-8 bytes of a file that is written in parts. */
export const PART_BYTES = 256 << 10;
/** Parts of one trajectory, 4 MiB; what is beyond them is left out, and said so. */
export const MOST_PARTS = 16;

/** Writes files into a folder and counts them. */
export class FolderWriter {
  readonly #folder: string;
  readonly #signal: AbortSignal | undefined;
  readonly #made = new Set<string>();
  files = 0;
  bytes = 0;

  constructor(folder: string, signal?: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  async folder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(join(this.#folder, path), { recursive: true });
    this.#made.add(path);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.folder(dirname(path));
    await writeFile(join(this.#folder, path), content, { flag: 'wx' });
    this.files++;
    this.bytes += Buffer.byteLength(content);
  }

  /** Whole lines, in parts of at most PART_BYTES where there is more than that; `most` parts, then `left` is told. */
  async writeLines(path: string, lines: Iterable<string>, most = Infinity, left = ''): Promise<void> {
    let part: string[] = [];
    let bytes = 0;
    let written = 0;
    const flush = async () => {
      await this.write(partName(path, ++written), part.map((line) => `${line}\n`).join(''));
      part = [];
      bytes = 0;
    };
    for (const line of piecesOf(lines)) {
      const size = Buffer.byteLength(line) + 1;
      if (bytes + size > PART_BYTES && part.length > 0) {
        if (written === most - 1) {
          part.push(left);
          break;
        }
        await flush();
      }
      part.push(line);
      bytes += size;
    }
    if (part.length > 0 || written === 0) await flush();
  }
}

/** What is given as one text may have many lines. */
function* piecesOf(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield* text.split('\n');
}
