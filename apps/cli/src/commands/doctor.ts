import type { Command } from 'commander';
import { EXIT } from '../errors.ts';
import { paint } from '../print/paint.ts';
import { print, printJson, sessionOf } from '../session.ts';

const MARKS = { ok: '✓', warning: '!', missing: '✗' } as const;

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'says whether this machine, Kafka and PostgreSQL have what whale needs, and how to get what is missing',
    )
    .addHelpText('after', '\nExample:\n  $ whale doctor --log kafka://localhost:9092\n')
    .action(async (_options, command: Command) => {
      const session = sessionOf(command);
      const { examine } = await import('../checks/examine.ts');
      const { location } = session;
      const platform =
        location.log === null && location.database === null ? null : await import('../checks/examine-platform.ts');
      const findings = [
        ...(await examine(location.data, process.env)),
        ...((await platform?.examinePlatform(location, process.env)) ?? []),
      ];
      const missing = findings.filter((finding) => finding.state === 'missing');
      if (session.json) printJson({ ok: missing.length === 0, findings });
      else {
        const colours = paint(process.stdout);
        const tint = { ok: colours.green, warning: colours.yellow, missing: colours.red };
        for (const { state, what, found, remedy } of findings) {
          print(`${tint[state](MARKS[state])} ${what.padEnd(22)} ${found}`);
          if (remedy && state !== 'ok') print(`    ${remedy}`);
        }
        print(missing.length === 0 ? 'All that is needed is here.' : `${missing.length} of what is needed is missing.`);
      }
      if (missing.length > 0) process.exitCode = EXIT.environment;
    });
}
