import type { BlobStore } from '@whale/blob-store';
import { ExperimentSubmitted, latestType, type EventEnvelope, type TopicName } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import { ExperimentFold, VIEW_TOPICS, VIEW_TYPES, type ExperimentView } from '@whale/experiment-view';
import { InputError } from '@whale/kernel';
import { printTrouble } from '../session.ts';
import { LogTail } from './tail.ts';

interface Readable {
  log: EventLog;
  blobs: BlobStore;
}

/** All events of some types, of one experiment or of all, in the order of appending. */
export async function readEvents(
  { log, blobs }: Readable,
  options: { topics: readonly TopicName[]; types?: ReadonlySet<string>; experimentId?: string },
): Promise<EventEnvelope[]> {
  return new LogTail({ log, blobs, topics: options.topics, wants: wanted(options.types, options.experimentId) }).next();
}

export function wanted(types: ReadonlySet<string> | undefined, experimentId: string | undefined) {
  return (headers: Readonly<Record<string, string>>): boolean =>
    (types?.has(latestType(headers['ce_type'] ?? '')) ?? true) &&
    (experimentId === undefined || headers['ce_correlationid'] === experimentId);
}

/** Ids of the experiments that were submitted, oldest first. */
export async function experimentIds(open: Readable): Promise<string[]> {
  const topics: TopicName[] = ['whale.experiments.v1'];
  const submitted = await readEvents(open, { topics, types: new Set([ExperimentSubmitted.type]) });
  return [...new Set(submitted.map((seen) => seen.event.data.experimentId))];
}

/** Folds one experiment from the log. `topics` may be fewer where verdicts are not needed: `ls` reads no rollouts. */
export async function readView(
  open: Readable,
  experimentId: string,
  topics: readonly TopicName[] = VIEW_TOPICS,
): Promise<ExperimentView> {
  const fold = new ExperimentFold(experimentId);
  for (const seen of await readEvents(open, { topics, types: VIEW_TYPES, experimentId })) fold.take(seen);
  return fold.view();
}

/** What a command says of its argument. */
export const EXPERIMENT_ARGUMENT = 'experiment, or the beginning of its id; default: the one submitted last';

/** The experiment that is meant, see `resolveExperiment`. Which one that is is said where others could be meant. */
export async function chosenExperiment(
  open: Readable | null,
  given: string | undefined,
  place: string,
): Promise<string> {
  const known = open ? await experimentIds(open) : [];
  const id = resolveExperiment(known, given, place);
  // Not on stdout, which may be JSON.
  if (given === undefined && known.length > 1) printTrouble(`${id}: submitted last of ${known.length} in ${place}`);
  return id;
}

/**
 * The experiment that `given` names: an id, the unambiguous beginning of one, or nothing for the last of `known`.
 * Throws InputError that names those that are known.
 */
export function resolveExperiment(known: readonly string[], given: string | undefined, data: string): string {
  const list = known.map((id) => `  ${id}`).join('\n');
  const last = known.at(-1);
  if (last === undefined) {
    throw new InputError(`there is no experiment in ${data}. Begin one: whale run examples/atlas-small.yaml`);
  }
  if (given === undefined) return last;
  if (known.includes(given)) return given;
  const matching = known.filter((id) => id.startsWith(given));
  if (matching.length === 1) return matching[0] as string;
  const problem = matching.length === 0 ? 'no experiment is called' : 'more than one experiment begins with';
  throw new InputError(`${problem} "${given}". Known in ${data}:\n${list}`);
}
