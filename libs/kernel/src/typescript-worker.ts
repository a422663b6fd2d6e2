import { existsSync } from 'node:fs';
import { getEnvironmentData, Worker, type WorkerOptions } from 'node:worker_threads';

export type TypeScriptWorkerOptions = Omit<WorkerOptions, 'argv' | 'eval' | 'execArgv'>;

const bootstrap = new URL('./typescript-worker.mjs', import.meta.url);

/**
 * Starts a worker thread on a module that may be TypeScript, without a build: `new URL('./worker.ts', import.meta.url)`.
 * The module sees `workerData` as given. It works the same below tsx, below vitest and in plain Node 20, 22 and 24.
 *
 * Why a bootstrap file and not `execArgv: ['--import', 'tsx']`: Node 20 looks at the extension of a worker's entry before
 * the loader hooks are in, and refuses `.ts`. `execArgv` is emptied so that hooks of the parent are not installed twice.
 *
 * Start-up is 160–200 ms on Node 20 and 22, 80–120 ms on 24, most of it the loader; each module that the worker imports
 * adds to it, so a worker's imports should be few. Where the `whale` command runs compiled sources (apps/cli/bin), so do
 * its threads, without a loader.
 *
 * Errors arrive as the worker's `error` event, as with any Worker: a module that is not there, or a syntax error.
 */
export function spawnTypeScriptWorker(url: URL, options: TypeScriptWorkerOptions = {}): Worker {
  const javaScript = /\.[cm]?ts$/.test(url.pathname) ? compiledModule(url) : url;
  if (javaScript !== undefined) return new Worker(javaScript, { ...options, execArgv: [] });
  return new Worker(bootstrap, { ...options, argv: [url.href], execArgv: [] });
}

/** The module that was made of this source, if one was. */
function compiledModule(source: URL): URL | undefined {
  // Set by apps/cli/bin/compiled.mjs; every thread inherits it.
  const compiled = getEnvironmentData('whale.compiled') as { sources: string; folder: string } | undefined;
  if (compiled === undefined || !source.href.startsWith(compiled.sources)) return undefined;
  const path = source.href.slice(compiled.sources.length).replace(/\.ts$/, '.js');
  const module = new URL(path, compiled.folder);
  return existsSync(module) ? module : undefined;
}
