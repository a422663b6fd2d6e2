import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { importDefault } from './user-module.ts';

// Outside any package: nothing says that these files are ES modules.
const folder = mkdtempSync(join(tmpdir(), 'whale-module-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test.each(['a.ts', 'b.mts', 'c.mjs', 'd.js'])('%s is loaded, whatever kind of module it is taken for', async (name) => {
  expect(await importDefault(file(name, 'export default { answer: 42 };'))).toEqual({ answer: 42 });
});

test('without a default export there is nothing', async () => {
  expect(await importDefault(file('none.ts', 'export const answer = 42;'))).toBeUndefined();
  expect(await importDefault(file('null.ts', 'export default null;'))).toBeNull();
});

test('what the module throws comes through', async () => {
  await expect(importDefault(file('bad.ts', "throw new Error('boom');"))).rejects.toThrow('boom');
  await expect(importDefault(join(folder, 'nowhere.ts'))).rejects.toThrow('nowhere.ts');
});
