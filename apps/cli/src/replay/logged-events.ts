import type { BlobStore } from '@whale/blob-store';
import {
  decodeRecord,
  latestType,
  RolloutCompleted,
  CandidateRejected,
  TOPIC_NAMES,
  type AnyEvent,
  type WireRecord,
} from '@whale/contracts';
import { LogError, type EventLog, type Position, type TopicPartition } from '@whale/event-log';

export interface Readable {
  log: EventLog;
  blobs: BlobStore;
}

/** An event with its place; the place is no part of any state. */
export interface LoggedEvent extends Position {
  id: string;
  experimentId: string;
  event: AnyEvent;
}

/** Trajectories are most of the log and part of no state. */
const NOT_REPLAYED = new Set<string>([RolloutCompleted.type, CandidateRejected.type]);

/** Heads of all topics; none where the log has no topics yet. */
export async function headsOf(log: EventLog): Promise<readonly Position[]> {
  try {
    return await log.heads(TOPIC_NAMES);
  } catch (error) {
    if (error instanceof LogError && error.code === 'LOG_UNKNOWN_TOPIC') return [];
    throw error;
  }
}

/**
 * Events below `heads`, partition after partition, each id once as the inboxes of the services see it. What is no event
 * is passed over: the services have parked it.
 */
export async function loggedEvents(
  { log, blobs }: Readable,
  heads: readonly Position[],
  experimentId?: string,
): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  const seen = new Set<string>();
  for (const { topic, partition, offset } of heads) {
    for await (const record of log.read({ topic, partition, from: 0, to: offset })) {
      const { ce_id: id = '', ce_type: type = '', ce_correlationid: correlation } = record.headers;
      if (NOT_REPLAYED.has(latestType(type)) || seen.has(id)) continue;
      if (experimentId !== undefined && correlation !== experimentId) continue;
      const event = await decoded(record, blobs);
      if (!event) continue;
      seen.add(id);
      events.push({ topic, partition, offset: record.offset, ...event });
    }
  }
  return events;
}

export async function decoded(
  record: WireRecord,
  blobs: BlobStore,
): Promise<Pick<LoggedEvent, 'id' | 'experimentId' | 'event'> | null> {
  try {
    const { id, event } = await decodeRecord(record, (ref) => blobs.get(ref));
    return { id, experimentId: event.data.experimentId, event };
  } catch {
    return null;
  }
}

/** How far a consumer has come: by partition the offset that it reads next. */
export type Bound = ReadonlyMap<string, number>;

export function place({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

export function boundOf(positions: readonly Position[]): Bound {
  return new Map(positions.map((position) => [place(position), position.offset]));
}

export function isWithin(event: Position, bound: Bound): boolean {
  return event.offset < (bound.get(place(event)) ?? 0);
}
