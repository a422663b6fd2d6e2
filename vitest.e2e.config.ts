import { defineConfig } from 'vitest/config';

/** Whole experiments, one after the other: each takes both cores. */
export default defineConfig({
  test: {
    include: ['test/{e2e,chaos}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
