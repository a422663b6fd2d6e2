import { defineConfig } from 'vitest/config';

/** Whole experiments, two files at a time: one fills the cores while the other waits for a process or a broker. */
export default defineConfig({
  test: {
    include: ['test/{e2e,chaos}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});
