import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pathOf, Refusal } from './path.ts';

/**
 * Files of a workspace as the tools see them. Invariants, each named by a test:
 * F1 Nothing outside the root is opened or listed, whatever the path is and whatever links lie in the workspace.
 * F2 Only regular files of UTF-8 text up to MOST_FILE_BYTES are read; no call hangs on a pipe or a device.
 */
export const MOST_FILE_BYTES = 8 << 20;

/** Names to show where something is not there. */
const MOST_HINTS = 20;

export interface Entry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

/** The text of a file. Throws Refusal. */
export async function readText(root: string, components: readonly string[]): Promise<string> {
  const path = pathOf(components);
  const seen = await look(root, components);
  if (seen.isDirectory()) throw new Refusal(`${path} is a folder. list_files shows what is in it.`);
  if (!seen.isFile()) throw neither(path);
  if (seen.size > MOST_FILE_BYTES) throw tooLarge(path, seen.size);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await allowed(path, () => open(join(root, ...components), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    const opened = await handle.stat();
    // It may have been exchanged meanwhile, also by a link further up.
    if (!isSame(opened, seen)) throw changed(path);
    return decode(path, await bytesOf(handle, seen.size));
  } finally {
    await handle.close();
  }
}

/** What is in a folder, by name. Throws Refusal. */
export async function readFolder(root: string, components: readonly string[]): Promise<Entry[]> {
  const path = pathOf(components);
  const seen = await look(root, components);
  if (!seen.isDirectory()) throw new Refusal(`${path} is not a folder. read_file reads a file.`);
  const found = await allowed(path, () => readdir(join(root, ...components), { withFileTypes: true }));
  if (!isSame(seen, await look(root, components))) throw changed(path);
  return found
    .map((entry): Entry => {
      const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
      return { name: entry.name, kind };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What stands at a path. Throws Refusal where nothing is, or neither a file nor a folder. */
export async function kindOf(root: string, components: readonly string[]): Promise<'file' | 'folder'> {
  const seen = await look(root, components);
  if (seen.isDirectory()) return 'folder';
  if (seen.isFile()) return 'file';
  throw neither(pathOf(components));
}

/** Bytes of a file; null when it is none or no longer there. */
export async function sizeOf(root: string, components: readonly string[]): Promise<number | null> {
  const stats = await lstat(join(root, ...components)).catch(() => null);
  return stats?.isFile() ? stats.size : null;
}

/** What stands at a path, no component of which is a link. Throws Refusal. */
async function look(root: string, components: readonly string[]): Promise<Stats> {
  // The root is the host's own, wherever it lies.
  let stats = await stat(root);
  for (let depth = 1; depth <= components.length; depth++) {
    const upTo = components.slice(0, depth);
    const found = await lstat(join(root, ...upTo)).catch((error: NodeJS.ErrnoException) => {
      if (NOT_THERE.has(error.code ?? '')) return null;
      throw forbidden(pathOf(upTo), error);
    });
    if (found === null) throw await notThere(root, components, depth);
    if (found.isSymbolicLink()) throw new Refusal(`${pathOf(upTo)} is a symbolic link. Links are not followed.`);
    stats = found;
  }
  return stats;
}

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL']);
const FORBIDDEN = new Set(['EACCES', 'EPERM', 'ELOOP', 'ENXIO', ...NOT_THERE]);

/** The components before the `depth`-th are there. */
async function notThere(root: string, components: readonly string[], depth: number): Promise<Refusal> {
  const parent = components.slice(0, depth - 1);
  const said = `There is no ${pathOf(components.slice(0, depth))}.`;
  try {
    const entries = await readFolder(root, parent);
    const names = entries.slice(0, MOST_HINTS).map(({ name }) => name);
    const more = entries.length > MOST_HINTS ? ` and ${entries.length - MOST_HINTS} more` : '';
    return new Refusal(`${said} In ${pathOf(parent)} there is: ${names.join(', ') || 'nothing'}${more}.`);
  } catch (error) {
    if (error instanceof Refusal) return new Refusal(`${said} ${error.message}`);
    throw error;
  }
}

/** Rejections for rights are refusals, others are faults of the machine. */
async function allowed<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw forbidden(path, error as NodeJS.ErrnoException);
  }
}

function forbidden(path: string, error: NodeJS.ErrnoException): Error {
  if (!FORBIDDEN.has(error.code ?? '')) return error;
  return new Refusal(`${path} cannot be read (${error.code}).`);
}

/** No more than `size` bytes, although the file may grow. */
async function bytesOf(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function decode(path: string, bytes: Buffer): string {
  if (!bytes.includes(0)) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      // Said below.
    }
  }
  throw new Refusal(`${path} is not UTF-8 text (${bytes.length} bytes). Binary files cannot be read.`);
}

function isSame(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

function changed(path: string): Refusal {
  return new Refusal(`${path} was exchanged while it was being read. Try again.`);
}

function neither(path: string): Refusal {
  return new Refusal(`${path} is neither a file nor a folder and cannot be read.`);
}

function tooLarge(path: string, size: number): Refusal {
  return new Refusal(`${path} has ${size} bytes; files of more than ${MOST_FILE_BYTES} cannot be read or searched.`);
}
