import { InputError } from '@whale/kernel';
import { EXIT, printError } from '../errors.ts';

/**
 * Runs what waits for a user's module, so that the command always ends with a word: a promise that nobody will settle does
 * not let Node end in silence before the time limit, and a `process.exit` of the module is told and ends with 2.
 */
export async function whileUserCodeRuns<T>(module: string, work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => undefined, 60_000);
  const onExit = (): void => {
    // The command itself ends where nobody reads on.
    if (process.stdout.errored) return;
    printError(new InputError(`${module} has ended the process (process.exit); it must return or throw instead`));
    process.exitCode = EXIT.badInput;
  };
  process.on('exit', onExit);
  try {
    return await work();
  } finally {
    process.off('exit', onExit);
    clearInterval(alive);
  }
}
