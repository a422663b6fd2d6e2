import type { BlobStore } from '@whale/blob-store';
import type { EventLog } from '@whale/event-log';
import { canonicalHash } from '@whale/kernel';
import { headsOf, loggedEvents } from './logged-events.ts';
import { hears, REBUILDABLE, writes } from './rebuildable.ts';

/**
 * sha256 of the canonical JSON of an experiment's archive and scheduler state (patience and results are part of it), from
 * the log alone. It holds no times, offsets or anything of the transport: equal across logs, process counts, kills and
 * machines of one kind. Null where the experiment has not started.
 */
export async function experimentStateHash(
  log: EventLog,
  blobs: BlobStore,
  experimentId: string,
): Promise<string | null> {
  const events = await loggedEvents({ log, blobs }, await headsOf(log), experimentId);
  const states: Record<string, unknown> = {};
  for (const service of REBUILDABLE) {
    const heard = events.map(({ event }) => event).filter((event) => hears(service, event));
    const own = events.filter(({ event }) => writes(service, event));
    states[service.name] = service.replay(heard, own).state ?? service.initial;
  }
  return events.some(({ topic }) => topic === 'whale.schedule.v1') ? canonicalHash(states) : null;
}
