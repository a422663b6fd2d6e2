import { createRequire } from 'node:module';
import type { HarnessFailure } from './protocol.ts';

type Swc = typeof import('@swc/wasm-typescript');

const require = createRequire(import.meta.url);
let swc: Swc | undefined;

interface SwcError {
  code: string;
  message: string;
  startLine?: number;
  startColumn?: number;
}

function isSwcError(error: unknown): error is SwcError {
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'code' in error;
}

/** Some 100 ms of CPU. Called before a worker is ready, so that no rollout's allowance pays for it. */
export function loadStripper(): Swc {
  return (swc ??= require('@swc/wasm-typescript') as Swc);
}

/**
 * JavaScript of a harness: types are replaced by spaces, so that lines and columns stay. The stripper is WASM and a
 * trap in it (source nested some thousand levels) leaves it broken, so it is then loaded anew.
 */
export function stripTypes(source: string): { code: string } | { failure: HarnessFailure } {
  try {
    return { code: loadStripper().transformSync(source, { mode: 'strip-only', module: true }).code };
  } catch (error) {
    if (isSwcError(error)) {
      const position =
        error.startLine === undefined ? {} : { line: error.startLine, column: (error.startColumn ?? 0) + 1 };
      return { failure: { code: 'PARSE', message: error.message, ...position } };
    }
    delete require.cache[require.resolve('@swc/wasm-typescript')];
    swc = undefined;
    return { failure: { code: 'PARSE', message: 'the source is nested too deeply to parse' } };
  }
}
