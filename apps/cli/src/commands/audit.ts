import type { Command } from 'commander';
import { InputError } from '@whale/kernel';
import { AUDIT_TOPICS, AUDIT_TYPES, auditedSessions, type AuditedSession } from '../audit/sessions.ts';
import { auditText } from '../audit/text.ts';
import { chosenExperiment, EXPERIMENT_ARGUMENT, readEvents } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { print, printJson, sessionOf } from '../session.ts';

export function auditCommand(program: Command): void {
  program
    .command('audit')
    .argument('[id]', EXPERIMENT_ARGUMENT)
    .description('what the proposer asked, read and wrote, step by step, with its cost')
    .option('--iteration <n>', 'only this one, counted over all cycles from 1')
    .addHelpText('after', '\nExample:\n  $ whale audit atlas --iteration 2\n')
    .action(async (id: string | undefined, options: { iteration?: string }, command: Command) => {
      const session = sessionOf(command);
      const sessions = await withData(session.location, async (open) => {
        const experimentId = await chosenExperiment(open, id, session.place);
        if (!open) return [];
        return auditedSessions(await readEvents(open, { topics: AUDIT_TOPICS, types: AUDIT_TYPES, experimentId }));
      });
      const wanted = options.iteration === undefined ? sessions : ofIteration(sessions, options.iteration);
      if (session.json) printJson(wanted);
      else if (wanted.length === 0) print('No candidates were asked for yet.');
      else print(auditText(wanted));
    });
}

function ofIteration(sessions: readonly AuditedSession[], given: string): AuditedSession[] {
  const found = sessions.filter(({ iteration }) => String(iteration) === given);
  if (found.length > 0) return found;
  const last = sessions.at(-1)?.iteration ?? 0;
  const there = last === 0 ? 'there is none yet' : `there are 1 to ${last}`;
  throw new InputError(`--iteration: no iteration ${given}: ${there}`);
}
