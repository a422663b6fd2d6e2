import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Writes modules of a user into a folder outside any package, which is removed after the tests of the file. */
export function moduleFiles(): (name: string, text: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'whale-proposer-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
}
