import type { Command } from 'commander';
import { EXIT } from '../errors.ts';
import { chosenExperiment, EXPERIMENT_ARGUMENT } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { table } from '../print/table.ts';
import { oneLine, plural } from '../print/text.ts';
import type { PartReport, RebuildReport } from '../replay/report.ts';
import { print, printJson, sessionOf, type Session } from '../session.ts';

export function rebuildCommand(program: Command): void {
  program
    .command('rebuild')
    .argument('[id]', EXPERIMENT_ARGUMENT)
    .description(
      'rebuilds state and read models from the log, compares them with the live ones, puts back what is missing',
    )
    .addHelpText(
      'after',
      '\nStop the services first; a run that is over has none.\n\nExample:\n  $ whale rebuild atlas\n',
    )
    .action(async (id: string | undefined, _options, command: Command) => {
      const session = sessionOf(command);
      const report = await withData(session.location, async (open) => {
        const experimentId = await chosenExperiment(open, id, session.place);
        // The deciders come with their services, so only who rebuilds pays for them.
        const { rebuild } = await import('../replay/rebuild.ts');
        const { openState } = await import('@whale/service-host');
        const state = await openState(session.location, process.env);
        try {
          return open && (await rebuild(state, open, experimentId));
        } finally {
          await state.close();
        }
      });
      if (!report) return;
      if (session.json) printJson(report);
      else print(reportText(report, session));
      if (!report.equal) process.exitCode = EXIT.failed;
    });
}

export function reportText(report: RebuildReport, { location }: Pick<Session, 'location'>): string {
  const { experimentId, decisions, parts } = report;
  const rows = parts.map((part) => [part.part, shortHash(part.rebuilt), shortHash(part.live), verdict(part)]);
  const lines = [
    `${experimentId}: ${plural(decisions.remade, 'decision')} made again from the log`,
    '',
    table(['part', 'rebuilt', 'live', 'equal'], rows),
  ];
  if (report.equal) return lines.join('\n');
  lines.push('', 'Nothing was changed. What differs:');
  for (const sentence of decisions.disagreements.slice(0, 10)) lines.push(`  log: ${oneLine(sentence)}`);
  for (const { part, differences } of parts)
    for (const sentence of differences) lines.push(`  ${part}: ${oneLine(sentence)}`);
  lines.push(
    '',
    'To take what follows from the log: stop the services, delete what differs, and rebuild again. The state lies in',
    location.database === null
      ? `services/scheduler.sqlite, services/archive.sqlite and read-models.sqlite below ${location.data}.`
      : 'the schemas whale_scheduler, whale_archive and whale_read of the database.',
  );
  return lines.join('\n');
}

function verdict({ equal, restored }: PartReport): string {
  if (restored) return 'was missing, put back';
  return equal ? 'yes' : 'NO';
}

function shortHash(hash: string | null): string {
  return hash === null ? '–' : hash.slice(0, 16);
}
