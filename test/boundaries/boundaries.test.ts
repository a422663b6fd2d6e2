import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import nx from '@nx/eslint-plugin';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { beforeAll, describe, expect, it } from 'vitest';
import { boundaries } from '../../tools/boundaries.mjs';

const root = join(import.meta.dirname, '../..');

/** Messages of the boundary rule for a file that imports `specifier`, as if it stood at `path`. */
async function boundaryErrors(path: string, specifier: string): Promise<string[]> {
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    overrideConfig: [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser as never },
        plugins: { '@nx': nx as never },
        rules: { '@nx/enforce-module-boundaries': boundaries as never },
      },
    ],
  });
  const source = `import * as forbidden from '${specifier}';\nconsole.log(forbidden);\n`;
  const [result] = await eslint.lintText(source, { filePath: join(root, path) });
  return (result?.messages ?? []).map((message) => message.message);
}

describe('dependency direction', () => {
  beforeAll(() => {
    // The rule reads the cached project graph and is silent without one.
    execFileSync(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), 'show', 'projects'], {
      cwd: root,
      env: { ...process.env, NX_DAEMON: 'false' },
      stdio: 'ignore',
    });
  }, 120_000);

  it.each([
    ['libs/contracts/src/spec.ts', '@whale/event-log'],
    ['libs/schedules/src/patience.ts', '@whale/service-kit'],
    ['libs/service-kit/src/service.ts', '@whale/event-log-sqlite'],
    ['apps/scheduler/src/state.ts', '@whale/app-archive'],
  ])('refuses %s to import %s', async (path, specifier) => {
    const errors = await boundaryErrors(path, specifier);
    expect(errors.join('\n')).toMatch(/can only depend on libs tagged with/);
  });

  // Where the other way exists already, the rule tells of the circle first.
  it.each([
    ['libs/kernel/src/errors.ts', '@whale/contracts'],
    ['libs/policy/port/src/index.ts', '@whale/policy-embedded'],
  ])('refuses the circle of %s and %s', async (path, specifier) => {
    const errors = await boundaryErrors(path, specifier);
    expect(errors.join('\n')).toMatch(/Circular dependency between/);
  });

  it('allows what points the right way', async () => {
    expect(await boundaryErrors('apps/scheduler/src/scheduler.module.ts', '@whale/service-kit')).toEqual([]);
  });
});
