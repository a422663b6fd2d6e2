import { createRequire } from 'node:module';

/** By `require`, past the loader hooks: they would read through all nine megabytes. */
export const ts = createRequire(import.meta.url)('typescript') as typeof import('typescript');
