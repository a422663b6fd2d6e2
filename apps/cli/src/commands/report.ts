import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { chosenExperiment, EXPERIMENT_ARGUMENT, readView } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { print, printJson, sessionOf } from '../session.ts';

export function reportCommand(program: Command): void {
  program
    .command('report')
    .argument('[id]', EXPERIMENT_ARGUMENT)
    .description('writes the report of an experiment: one HTML file that works offline')
    .option('--out <file>', 'where to; default <data>/reports/<id>.html')
    .addHelpText('after', '\nExample:\n  $ whale report atlas --out atlas.html\n')
    .action(async (id: string | undefined, options: { out?: string }, command: Command) => {
      const session = sessionOf(command);
      await withData(session.location, async (open) => {
        const experimentId = await chosenExperiment(open, id, session.place);
        if (!open) return;
        const path = options.out
          ? resolve(options.out)
          : join(session.location.data, 'reports', `${experimentId}.html`);
        const { writeReport } = await import('../report/write-report.ts');
        await writeReport(await readView(open, experimentId), open, path);
        if (session.json) printJson({ experimentId, report: path });
        else print(path);
      });
    });
}
