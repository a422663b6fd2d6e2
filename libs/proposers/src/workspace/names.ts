import { sha256 } from '@whale/kernel';

/** Hex digits of a harness's id that name its folder. */
const FOLDER_DIGITS = 12;
const PLAIN = /^[a-z0-9][a-z0-9._-]{0,79}$/;
const MOST_CLEANED = 60;

/**
 * A file name, without ending, for an id that a user chose. Ids of lower-case letters, digits, `.`, `_` and `-` stay as
 * they are; others are cleaned and get `~` and a hash, so that no two ids share a name, on any file system.
 */
export function fileName(id: string): string {
  if (PLAIN.test(id) && !id.endsWith('.')) return id;
  const cleaned = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, MOST_CLEANED);
  return `${cleaned || 'x'}~${sha256(id).slice(0, 12)}`;
}

/** The n-th part of a file: `x.md`, `x~2.md`, … An id's own name has `~` only before twelve hex digits. */
export function partName(path: string, part: number): string {
  if (part === 1) return path;
  const dot = path.lastIndexOf('.');
  return `${path.slice(0, dot)}~${part}${path.slice(dot)}`;
}

/** Folder names by harness id: the shortest beginning from twelve digits on that tells all of them apart. */
export function folderNames(ids: readonly string[]): Map<string, string> {
  const distinct = [...new Set(ids)];
  let digits = FOLDER_DIGITS;
  while (new Set(distinct.map((id) => id.slice(0, digits))).size < distinct.length) digits += 4;
  return new Map(distinct.map((id) => [id, fileName(id.slice(0, digits))]));
}
