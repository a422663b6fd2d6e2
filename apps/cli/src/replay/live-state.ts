import type { BlobStore } from '@whale/blob-store';
import type { Position, TopicPartition } from '@whale/event-log';
import { systemClock } from '@whale/kernel';
import type { StorePlace } from '@whale/service-host';
import { Emitter, stateKey, type ServiceStore } from '@whale/service-kit';
import { decoded, type LoggedEvent } from './logged-events.ts';
import type { Rebuildable } from './rebuildable.ts';

/** More than any outbox holds. */
const ALL = 1_000_000;

/** What a service has on disk at the moment. */
export interface LiveState {
  /** No checkpoint at all: the store was deleted, or the service has never run. */
  deleted: boolean;
  checkpoints: readonly Position[];
  document: unknown;
  /** Written, not yet on the log. */
  outbox: readonly LoggedEvent[];
}

const NOTHING: LiveState = { deleted: true, checkpoints: [], document: undefined, outbox: [] };

/** Looks without making a store. */
export async function liveState(
  place: StorePlace,
  partitions: readonly TopicPartition[],
  experimentId: string,
  blobs: BlobStore,
): Promise<LiveState> {
  if (!(await place.exists())) return NOTHING;
  const store = place.open();
  try {
    const checkpoints: Position[] = [];
    for (const { topic, partition } of partitions) {
      const offset = await store.checkpoint({ topic, partition });
      if (offset !== undefined) checkpoints.push({ topic, partition, offset });
    }
    if (checkpoints.length === 0) return NOTHING;
    const key = stateKey(experimentId);
    return {
      deleted: false,
      checkpoints,
      document: (await store.documents([key])).get(key),
      outbox: await waiting(store, blobs, experimentId),
    };
  } finally {
    await store.close();
  }
}

async function waiting(store: ServiceStore, blobs: BlobStore, experimentId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (const record of await store.outbox(ALL)) {
    const event = await decoded(record, blobs);
    if (event?.experimentId === experimentId) events.push({ topic: record.topic, partition: -1, offset: -1, ...event });
  }
  return events;
}

/** State that takes the place of what is missing. */
export interface Restored {
  states: ReadonlyMap<string, unknown>;
  /** With a deleted store: what was consumed, how far, and the decisions that never reached the log. */
  whole?: {
    inbox: readonly string[];
    checkpoints: readonly Position[];
    unpublished: readonly LoggedEvent['event'][];
  };
}

/**
 * Writes restored state. The first transaction holds documents, inbox and outbox, so that a cut after it loses nothing:
 * a partition whose checkpoint is missing is read again and its events are known.
 */
export async function restore(
  place: StorePlace,
  { name, subscriptions }: Rebuildable,
  { states, whole }: Restored,
  blobs: BlobStore,
): Promise<void> {
  const store = place.open();
  try {
    const documents = new Map([...states].map(([experimentId, state]) => [stateKey(experimentId), state]));
    const basedOn = new Map([...documents.keys()].map((key) => [key, 0]));
    const emitter = new Emitter({ service: name, emits: subscriptions.emits, blobs, clock: systemClock });
    await store.commit({
      documents,
      basedOn,
      inbox: whole?.inbox ?? [],
      outbox: await emitter.encode(whole?.unpublished ?? []),
    });
    for (const to of whole?.checkpoints ?? []) await store.commit({ checkpoint: { from: undefined, to } });
  } finally {
    await store.close();
  }
}
