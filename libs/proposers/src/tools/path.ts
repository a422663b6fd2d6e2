import { posix, win32 } from 'node:path';

/** Why a path cannot be had, as a sentence that a model can act on. */
export class Refusal extends Error {}

const LONGEST_PATH = 1_024;

/**
 * The components of a path of the workspace; [] is the workspace itself. Nothing is decoded or normalised beyond empty
 * and `.` components, so that what is checked is what is opened. Throws Refusal.
 */
export function componentsOf(path: string): string[] {
  if (path.length > LONGEST_PATH)
    throw new Refusal(`The path has ${path.length} characters, more than ${LONGEST_PATH}.`);
  if (path.includes('\0')) throw new Refusal('The path holds a NUL character.');
  const shown = JSON.stringify(path);
  if (posix.isAbsolute(path) || win32.isAbsolute(path) || /^[a-z]:/iu.test(path)) {
    throw new Refusal(`${shown} is absolute. Paths are relative to the workspace, such as "index.md" or "harnesses".`);
  }
  if (path.includes('\\')) throw new Refusal(`${shown} holds a backslash. Folders are separated by "/".`);
  const components = path.split('/').filter((component) => component !== '' && component !== '.');
  if (components.includes('..')) {
    throw new Refusal(
      `${shown} holds "..". Write the path from the top of the workspace; nothing above it can be read.`,
    );
  }
  return components;
}

/** As the model reads and writes it. */
export function pathOf(components: readonly string[]): string {
  return components.length === 0 ? '.' : components.join('/');
}
