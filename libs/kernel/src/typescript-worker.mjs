// The first thing that a TypeScript worker thread runs: JavaScript, since nothing can load TypeScript before it.
// argv[2] is the URL of the TypeScript module to run; see typescript-worker.ts.
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
