import { deadLetterTopic, readDeadLetter, TOPIC_NAMES, type DeadLetter, type TopicName } from '@whale/contracts';
import { LogError, type EventLog, type LogRecord, type Position } from '@whale/event-log';
import { InputError } from '@whale/kernel';

/** A parked record. */
export interface Entry {
  letter: DeadLetter;
  record: LogRecord;
  /** ISO 8601. */
  parkedAt: string;
  /** When it was put on the log again after it was parked, ISO 8601. */
  retriedAt: string | null;
}

/**
 * What is parked, oldest first. Invariants, each named by a test:
 * Q1 A record that was parked twice by one service (a crash between publishing and forgetting) is one entry.
 * Q2 A retry counts for all services that had parked the record by then, and for none that parks it afterwards.
 */
export async function readEntries(
  log: EventLog,
  topics: readonly TopicName[],
  onTrouble: (message: string) => void,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const topic of topics) entries.push(...(await entriesOf(log, topic, onTrouble)));
  return entries.sort((a, b) => (a.parkedAt < b.parkedAt ? -1 : a.parkedAt > b.parkedAt ? 1 : 0));
}

async function entriesOf(log: EventLog, topic: TopicName, onTrouble: (message: string) => void): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  for (const { topic: dlq, partition, offset } of await headsOf(log, deadLetterTopic(topic))) {
    for await (const record of log.read({ topic: dlq, partition, from: 0, to: offset })) {
      const letter = readDeadLetter(record);
      const at = new Date(record.timestamp).toISOString();
      if (letter?.kind === 'parked' && letter.topic === topic) {
        entries.set(letter.id, { letter, record, parkedAt: at, retriedAt: null });
      } else if (letter?.kind === 'retried') {
        for (const entry of entries.values()) {
          if (entry.letter.coordinates === letter.coordinates) entry.retriedAt = at;
        }
      } else onTrouble(`${dlq}/${partition}@${record.offset} is no dead letter: passed over`);
    }
  }
  return [...entries.values()];
}

/** Topics are made by the first service that starts; until then nothing is parked. */
async function headsOf(log: EventLog, topic: string): Promise<Position[]> {
  try {
    return await log.heads([topic]);
  } catch (error) {
    if (error instanceof LogError && error.code === 'LOG_UNKNOWN_TOPIC') return [];
    throw error;
  }
}

/** The topics that `--topic` names: `whale.rollouts.v1`, `rollouts` or its dead letters' topic; all without it. */
export function topicsOf(given: string | undefined): readonly TopicName[] {
  if (given === undefined) return TOPIC_NAMES;
  const plain = (name: string) =>
    name
      .replace(/\.dlq$/, '')
      .replace(/^whale\./, '')
      .replace(/\.v\d+$/, '');
  const found = TOPIC_NAMES.filter((name) => plain(name) === plain(given));
  if (found.length > 0) return found;
  throw new InputError(
    `--topic: no topic is called "${given}". There are:\n${TOPIC_NAMES.map((name) => `  ${name}`).join('\n')}`,
  );
}

/** Names of entries to name in a message: more would not be read. */
const MOST_NAMED = 5;

/** The entries that ids or coordinates name. Throws InputError that names those nearest to an unknown one. */
export function findEntries(entries: readonly Entry[], ids: readonly string[], dataArgument: string): Entry[] {
  const found = ids.flatMap((id) => {
    const matching = entries.filter(({ letter }) => letter.id === id || letter.coordinates === id);
    if (matching.length > 0) return matching;
    if (entries.length === 0)
      throw new InputError(`nothing is parked as "${id}": nothing is parked in ${dataArgument}`);
    const nearest = [...entries]
      .map(({ letter }) => ({ id: letter.id, near: commonStart(letter.id, id) }))
      .sort((a, b) => b.near - a.near)
      .slice(0, MOST_NAMED);
    const list = nearest.map((one) => `  ${one.id}`).join('\n');
    throw new InputError(
      `nothing is parked as "${id}". Nearest in ${dataArgument}:\n${list}\nAll of them: whale dlq ls`,
    );
  });
  return [...new Set(found)];
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
