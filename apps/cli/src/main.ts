import { CommanderError } from 'commander';
import { EnvironmentError } from '@whale/kernel';
import { EXIT, exitCodeOf, printError } from './errors.ts';
import { buildProgram } from './program.ts';

/** Runs one command line and leaves its exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  // `whale events | head` closes the pipe early: nobody reads on, so there is nothing left to do.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? EXIT.done);
    const message = `the output cannot be written: ${error.message}. Free space, or send it elsewhere.`;
    printError(new EnvironmentError(message, { cause: error }));
    process.exit(EXIT.environment);
  });
  // Nobody can be told; the exit code still says how it went.
  process.stderr.on('error', () => undefined);
  try {
    const program = await buildProgram(args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its message already; help and version are no errors.
      process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.badInput;
      return;
    }
    printError(error);
    process.exitCode = exitCodeOf(error);
  } finally {
    // Threads of a library that do not end by themselves must not keep a finished command alive.
    setTimeout(() => process.exit(), 2_000).unref();
  }
}
