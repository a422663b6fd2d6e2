import type { Command } from 'commander';
import type { TopicName } from '@whale/contracts';
import { summarize, type ExperimentSummary } from '@whale/experiment-view';
import { experimentIds, readView } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { accuracy, duration } from '../print/text.ts';
import { table } from '../print/table.ts';
import { print, printJson, sessionOf } from '../session.ts';

/** Accuracies come from the schedule: no rollout is read. */
const TOPICS: readonly TopicName[] = ['whale.experiments.v1', 'whale.schedule.v1'];

export function lsCommand(program: Command): void {
  program
    .command('ls')
    .description('lists the experiments of the data folder')
    .addHelpText('after', '\nExample:\n  $ whale ls\n')
    .action(async (_options, command: Command) => {
      const session = sessionOf(command);
      const summaries = await withData(session.location, async (open) => {
        if (!open) return [];
        const list: ExperimentSummary[] = [];
        for (const id of await experimentIds(open)) list.push(summarize(await readView(open, id, TOPICS)));
        return list;
      });
      if (session.json) {
        printJson(
          summaries.map(({ experimentId, status, base, best, ledger }) => {
            return { experimentId, status, base, best, seconds: ledger.seconds.total };
          }),
        );
      } else if (summaries.length === 0) {
        print(`No experiments in ${session.place}. Begin one: whale run examples/atlas-small.yaml`);
      } else {
        const rows = summaries.map((one) => [
          one.experimentId,
          one.status,
          one.spec?.strategy.kind ?? '',
          accuracy(one.base),
          accuracy(one.best),
          duration(one.ledger.seconds.total),
        ]);
        print(table(['experiment', 'status', 'strategy', 'test: base', 'test: best pair', 'time'], rows));
      }
    });
}
