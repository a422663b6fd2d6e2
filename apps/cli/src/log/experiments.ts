import type { BlobStore } from '@whale/blob-store';
import { ExperimentSubmitted, latestType, type EventEnvelope, type TopicName } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import { ExperimentFold, VIEW_TOPICS, VIEW_TYPES, type ExperimentView } from '@whale/experiment-view';
import { InputError } from '@whale/kernel';
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

/**
 * The experiment that `given` names: an id, the unambiguous beginning of one, or nothing where there is just one.
 * Throws InputError that names those that are known.
 */
export function resolveExperiment(known: readonly string[], given: string | undefined, data: string): string {
  const list = known.map((id) => `  ${id}`).join('\n');
  if (known.length === 0) {
    throw new InputError(`there is no experiment in ${data}. Begin one: whale run examples/atlas-small.yaml`);
  }
  if (given === undefined) {
    if (known.length === 1) return known[0] as string;
    throw new InputError(`which experiment? There are ${known.length} in ${data}:\n${list}`);
  }
  if (known.includes(given)) return given;
  const matching = known.filter((id) => id.startsWith(given));
  if (matching.length === 1) return matching[0] as string;
  const problem = matching.length === 0 ? 'no experiment is called' : 'more than one experiment begins with';
  throw new InputError(`${problem} "${given}". Known in ${data}:\n${list}`);
}
