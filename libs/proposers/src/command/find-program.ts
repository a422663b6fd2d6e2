import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/**
 * The absolute path of the program that a word names: a path, from `folder`, or a name on `path`. Throws the error of the
 * system, ENOENT or EACCES, as a start would.
 */
export function findProgram(word: string, folder: string, path: string): string {
  if (word.includes('/')) return executable(resolve(folder, word));
  let refused: unknown;
  for (const place of path.split(delimiter).filter((one) => one !== '')) {
    try {
      return executable(join(resolve(folder, place), word));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') refused = error;
    }
  }
  throw refused ?? Object.assign(new Error(`${word} is nowhere on the PATH`), { code: 'ENOENT' });
}

function executable(file: string): string {
  if (statSync(file).isDirectory()) throw Object.assign(new Error(`${file} is a folder`), { code: 'EACCES' });
  accessSync(file, constants.X_OK);
  return file;
}
