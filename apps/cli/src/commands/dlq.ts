import type { Command } from 'commander';
import { decodeRecord, type WireRecord } from '@whale/contracts';
import { describeError, InputError } from '@whale/kernel';
import { adviceFor } from '../dlq/advice.ts';
import { findEntries, readEntries, topicsOf, type Entry } from '../dlq/entries.ts';
import { originalOf } from '../dlq/original.ts';
import { retryEntries, type RetryResult } from '../dlq/retry.ts';
import { entriesText, entryText } from '../dlq/text.ts';
import { EXIT } from '../errors.ts';
import { withData, type OpenData } from '../log/open.ts';
import { plural } from '../print/text.ts';
import { print, printJson, printTrouble, sessionOf } from '../session.ts';

interface RetryOptions {
  all?: boolean;
  topic?: string;
  code?: string;
  again?: boolean;
}

export function dlqCommand(program: Command): void {
  const dlq = program.command('dlq').description('dead letters: records that a service could not handle');
  list(dlq);
  show(dlq);
  retry(dlq);
}

function list(dlq: Command): void {
  dlq
    .command('ls')
    .description('lists what is parked, oldest first')
    .option('--topic <topic>', 'only records of this topic, e.g. whale.rollouts.v1')
    .addHelpText('after', '\nExample:\n  $ whale dlq ls --topic rollouts\n')
    .action(async (options: { topic?: string }, command: Command) => {
      const session = sessionOf(command);
      const topics = topicsOf(options.topic);
      const entries = await withData(session.location, async (open) =>
        open ? readEntries(open.log, topics, printTrouble) : [],
      );
      if (session.json) return printJson(entries.map(asJson));
      print(entries.length === 0 ? `Nothing is parked in ${session.place}.` : entriesText(entries));
    });
}

function show(dlq: Command): void {
  dlq
    .command('show')
    .argument('<id>', 'as dlq ls shows it; without the service all that have parked the record')
    .description('all that is known of a parked record, and what to do about it')
    .addHelpText('after', '\nExample:\n  $ whale dlq show whale.rollouts.v1/3@17:verifier\n')
    .action(async (id: string, _options, command: Command) => {
      const session = sessionOf(command);
      await withData(session.location, async (open) => {
        const entries = open ? await readEntries(open.log, topicsOf(undefined), printTrouble) : [];
        const found = findEntries(entries, [id], session.place);
        if (!open) return;
        const shown = await Promise.all(found.map(async (entry) => ({ entry, ...(await examined(entry, open)) })));
        if (session.json) {
          return printJson(
            shown.map(({ entry, original, problem }) => {
              const { key = entry.record.key, headers = entry.letter.headers, value = null } = original ?? {};
              const advice = adviceFor(entry.letter.code);
              return { ...asJson(entry), key, headers, value, readable: problem === null, problem, advice };
            }),
          );
        }
        print(shown.map(({ entry, original, problem }) => entryText(entry, original, problem)).join('\n\n'));
      });
    });
}

function retry(dlq: Command): void {
  dlq
    .command('retry')
    .argument('[id...]', 'as dlq ls shows them')
    .description('puts parked records on the log again, as they were; who has handled one knows it and drops it')
    .option('--all', 'all that were not retried since they were parked')
    .option('--topic <topic>', 'with --all: only records of this topic')
    .option('--code <code>', 'with --all: only records parked for this code, e.g. EVENT_VERSION_NEWER')
    .option('--again', 'also what was retried before')
    .addHelpText('after', '\nExample:\n  $ whale dlq retry --all --code EVENT_VERSION_NEWER\n')
    .action(async (ids: string[], options: RetryOptions, command: Command) => {
      const session = sessionOf(command);
      checkRetry(ids, options);
      const results = await withData(session.location, async (open) => {
        const entries = open ? await readEntries(open.log, topicsOf(options.topic), printTrouble) : [];
        const wanted = options.all
          ? entries.filter(({ letter }) => options.code === undefined || letter.code === options.code)
          : findEntries(entries, ids, session.place);
        return open ? retryEntries(wanted, open, options.again === true) : [];
      });
      if (session.json) printJson(results);
      else print(retriedText(results));
      if (!options.all && results.some((result) => result.skipped !== null)) process.exitCode = EXIT.badInput;
    });
}

function checkRetry(ids: readonly string[], { all, topic, code }: RetryOptions): void {
  if (all && ids.length > 0) throw new InputError('either ids or --all, not both');
  if (!all && ids.length === 0)
    throw new InputError('what is to be retried? Name ids (whale dlq ls shows them) or --all');
  if (!all && (topic !== undefined || code !== undefined)) throw new InputError('--topic and --code go with --all');
}

/** The original, and why this release cannot read it. */
async function examined(
  entry: Entry,
  open: OpenData,
): Promise<{ original: WireRecord | null; problem: string | null }> {
  let original: WireRecord | null = null;
  try {
    original = await originalOf(entry, open);
    await decodeRecord(original, (ref) => open.blobs.get(ref));
    return { original, problem: null };
  } catch (error) {
    return { original, problem: describeError(error).message };
  }
}

function asJson({ letter, parkedAt, retriedAt }: Entry) {
  const { id, coordinates, topic, partition, offset, service, code, message, headers } = letter;
  const { ce_type: type = null, ce_id: eventId = null, ce_correlationid: experimentId = null } = headers;
  return {
    id,
    coordinates,
    topic,
    partition,
    offset,
    service,
    parkedAt,
    retriedAt,
    type,
    eventId,
    experimentId,
    code,
    message,
  };
}

function retriedText(results: readonly RetryResult[]): string {
  const done = results.filter(({ skipped }) => skipped === null);
  const left = results.filter(({ skipped }) => skipped !== null);
  const lines = done.map(
    ({ coordinates, services }) => `${coordinates} is on the log again, for ${services.join(', ')}`,
  );
  lines.push(
    ...left.map(({ coordinates }) => `${coordinates} was retried before: left alone (--again retries it once more)`),
  );
  lines.push(
    done.length === 0
      ? 'Nothing was put on the log.'
      : `${plural(done.length, 'record')} put on the log again; handled as soon as the services run. What fails again is parked again.`,
  );
  return lines.join('\n');
}
