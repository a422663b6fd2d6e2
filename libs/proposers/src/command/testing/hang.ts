// A process in which a program runs that does not end; it says the ids of the program and of its child.
import { runProgram } from '../run-program.ts';

const [folder = '.'] = process.argv.slice(2);
const script = `trap '' TERM; sleep 1000 & printf '%s %s' $$ $! > ids.part; mv ids.part ids; wait`;
await runProgram(
  {
    command: ['/bin/sh', '-c', script],
    folder,
    environment: { PATH: process.env['PATH'] ?? '' },
    milliseconds: 600_000,
    graceMilliseconds: 600_000,
  },
  new AbortController().signal,
);
