import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { EVENTS, ExperimentEnded, TOPIC_NAMES, type EventEnvelope } from '@whale/contracts';
import { InputError } from '@whale/kernel';
import { chosenExperiment, EXPERIMENT_ARGUMENT, wanted } from '../log/experiments.ts';
import { withData } from '../log/open.ts';
import { LogTail } from '../log/tail.ts';
import { print, printTrouble, sessionOf } from '../session.ts';

const POLL_MS = 200;

export function eventsCommand(program: Command): void {
  program
    .command('events')
    .argument('[id]', EXPERIMENT_ARGUMENT)
    .description('prints the events of an experiment as JSON lines')
    .option('--type <type>', 'only events of this type, e.g. HarnessScored or whale.harness.scored.v1')
    .option('--follow', 'go on until the experiment has ended')
    .addHelpText('after', '\nExample:\n  $ whale events atlas --type PhaseEnded | jq .data.signal\n')
    .action(async (id: string | undefined, options: { type?: string; follow?: boolean }, command: Command) => {
      const session = sessionOf(command);
      const types = options.type === undefined ? undefined : new Set([eventType(options.type)]);
      await withData(session.location, async (open) => {
        const experimentId = await chosenExperiment(open, id, session.place);
        if (!open) return;
        const ended = ExperimentEnded.type;
        const wants = wanted(types && options.follow ? new Set([...types, ended]) : types, experimentId);
        const tail = new LogTail({ ...open, topics: TOPIC_NAMES, wants, onTrouble: printTrouble });
        for (;;) {
          const events = await tail.next();
          for (const seen of events) if (types?.has(seen.event.type) ?? true) print(asLine(seen));
          if (!options.follow || events.some((seen) => seen.event.type === ended)) return;
          await sleep(POLL_MS);
        }
      });
    });
}

function asLine({ event, ...envelope }: EventEnvelope): string {
  return JSON.stringify({ ...envelope, type: event.type, data: event.data });
}

/** `HarnessScored`, `harness.scored` and `whale.harness.scored.v1` are the same. */
function eventType(given: string): string {
  const squeeze = (text: string) =>
    text
      .replace(/^whale\.|\.v\d+$/g, '')
      .replace(/[^a-z]/gi, '')
      .toLowerCase();
  const found = EVENTS.find(({ type }) => type === given || squeeze(type) === squeeze(given));
  if (found) return found.type;
  const names = EVENTS.map(({ type }) => `  ${type}`).join('\n');
  throw new InputError(`--type: no event is called "${given}". There are:\n${names}`);
}
