import { defineConfig } from 'vitest/config';

/** Whole experiments, three files at a time: they fill the cores while others wait for a process or a broker. */
export default defineConfig({
  test: {
    include: ['test/{e2e,chaos}/**/*.test.ts'],
    globalSetup: 'test/support/scratch-of-run.ts',
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
