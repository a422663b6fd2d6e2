import type { Command } from 'commander';
import { incumbentOf, summarize } from '@whale/experiment-view';
import { chosenExperiment, EXPERIMENT_ARGUMENT, readView } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { paint } from '../print/paint.ts';
import { resultText } from '../print/result.ts';
import { oneLine, shortId } from '../print/text.ts';
import { progressOf } from '../run/progress.ts';
import { print, printJson, sessionOf } from '../session.ts';

export function showCommand(program: Command): void {
  program
    .command('show')
    .argument('[id]', EXPERIMENT_ARGUMENT)
    .description('summary of an experiment')
    .addHelpText('after', '\nExample:\n  $ whale show atlas --json | jq .best\n')
    .action(async (id: string | undefined, _options, command: Command) => {
      const session = sessionOf(command);
      const view = await withData(session.location, async (open) => {
        const experimentId = await chosenExperiment(open, id, session.place);
        if (!open) return null;
        const found = await readView(open, experimentId);
        if (!session.json) return found;
        // The deciders come with their services, so only who wants the hash pays for them.
        const { experimentStateHash } = await import('../replay/state-hash.ts');
        printJson(summarize(found, await experimentStateHash(open.log, open.blobs, experimentId)));
        return null;
      });
      if (!view) return;
      const { spec, status, reason } = view;
      const colours = paint(process.stdout);
      print(`${view.experimentId}  ${status}${reason ? ` (${oneLine(reason)})` : ''}`);
      if (spec) {
        const { domain, strategy, policy, proposer, seed } = spec;
        print(
          `${strategy.kind} on ${oneLine(`${domain.name}/${domain.dataset}`)}, policy ${policy.kind}, proposer ${proposer.kind}, seed ${seed}`,
        );
      }
      if (view.result === null) {
        const { label, detail } = progressOf(view);
        print(`at the moment: ${label}${detail === '' ? '' : `, ${detail}`}`);
      }
      const incumbent = incumbentOf(view);
      if (incumbent) print(`incumbent harness: ${shortId(incumbent)}, ${view.harnesses.length} harnesses known`);
      print(`\n${resultText(view, colours)}`);
    });
}
