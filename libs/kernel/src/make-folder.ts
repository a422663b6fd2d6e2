import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder with those above it, where it is not there yet. Level by level: Node's recursive mkdir never returns
 * where a file system answers ENOENT (below /proc). Throws the error of the system.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
