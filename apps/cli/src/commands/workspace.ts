import type { Command } from 'commander';
import { InputError } from '@whale/kernel';
import { chosenExperiment } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { shortId } from '../print/text.ts';
import { print, printJson, sessionOf } from '../session.ts';

export function workspaceCommand(program: Command): void {
  program
    .command('workspace')
    .argument('<id>', 'experiment, or the beginning of its id')
    .argument('<dir>', 'a folder that is not there yet, or is empty')
    .description('writes the workspace of the proposer: the archive as files, as a proposer reads them')
    .option('--at <n>', 'as it stood at the n-th request for candidates, from 1; everything up to now without it')
    .addHelpText('after', '\nExample:\n  $ whale workspace atlas --at 3 ./archive-3\n')
    .action(async (id: string, directory: string, options: { at?: string }, command: Command) => {
      const session = sessionOf(command);
      const at = pointOf(options.at);
      await withData(session.location, async (open) => {
        const experimentId = await chosenExperiment(open, id, session.place);
        if (!open) return;
        const { WorkspaceSource } = await import('@whale/proposers/workspace');
        const { loadDomain } = await import('@whale/domain-loader');
        const source = new WorkspaceSource(open, experimentId);
        const spec = await source.domain();
        if (spec === null) throw new InputError(`${experimentId} has not started: there is nothing to see yet`);
        const written = await source.write(directory, { domain: await loadDomain(spec), at });
        if (session.json) return printJson({ experimentId, at, ...written });
        const { harnesses, trajectories, missing, weights, incumbent } = written;
        print(`${written.directory}: ${harnesses} harnesses, ${trajectories} trajectories; read index.md first`);
        if (missing > 0) print(`${missing} trajectories are not on the log any more`);
        print(`under ${weights} the incumbent is ${shortId(incumbent)}`);
      });
    });
}

function pointOf(given: string | undefined): number | 'now' {
  if (given === undefined) return 'now';
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    throw new InputError(`--at ${given}: expected the number of a request for candidates, from 1`);
  }
  return Number(given);
}
