import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest first, so that none of them is left alone at the end. */
class ChaosFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isChaos = ({ moduleId }: TestSpecification) => moduleId.includes('/test/chaos/');
    const sorted = await super.sort(files);
    return [...sorted.filter(isChaos), ...sorted.filter((file) => !isChaos(file))];
  }
}

/** Whole experiments, three files at a time: they fill the cores while others wait for a process or a broker. */
export default defineConfig({
  test: {
    include: ['test/{e2e,chaos}/**/*.test.ts'],
    globalSetup: 'test/support/scratch-of-run.ts',
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: ChaosFirst },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
