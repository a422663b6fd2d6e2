import { defineConfig } from 'vitest/config';

const TESTS = ['libs/**/*.test.ts', 'apps/**/*.test.ts', 'test/**/*.test.ts'];
const NOT_HERE = ['**/node_modules/**', '**/fixtures/**', 'test/{e2e,chaos,bench}/**'];
/** Tests that replace a module, or set the environment of their whole file. */
const ISOLATED = '**/*.isolated.test.ts';

/** Three files at a time on two cores: many wait for a process, a broker or a database. */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      // Loading the platform anew for each file would take longer than most files.
      { extends: true, test: { name: 'unit', isolate: false, include: TESTS, exclude: [...NOT_HERE, ISOLATED] } },
      { extends: true, test: { name: 'isolated', include: [ISOLATED], exclude: NOT_HERE } },
    ],
  },
});
