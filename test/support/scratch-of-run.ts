import { scratchFolder } from './whale-process.ts';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that all test files of the run share; it goes away with the run. */
    scratch: string;
  }
}

export default function setup(project: TestProject): () => void {
  const folder = scratchFolder('run');
  project.provide('scratch', folder.path);
  return () => folder.remove();
}
