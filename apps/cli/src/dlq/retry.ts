import type { BlobStore } from '@whale/blob-store';
import { retryRecord } from '@whale/contracts';
import type { EventLog } from '@whale/event-log';
import type { Entry } from './entries.ts';
import { originalOf } from './original.ts';

export interface RetryResult {
  coordinates: string;
  eventId: string | null;
  /** Services that had parked it. */
  services: string[];
  /** Why it was left alone; null when it was put on the log again. */
  skipped: 'retried before' | null;
}

/**
 * Puts originals on the log again as they were: under the same event id, so who has handled it drops it as known and
 * who has parked it handles it. Invariants, each named by a test:
 * Q3 An original is put on the log once, however many services have parked it, together with a note of it.
 * Q4 What was retried since it was parked is left alone unless `again`.
 */
export async function retryEntries(
  entries: readonly Entry[],
  open: { log: EventLog; blobs: BlobStore },
  again: boolean,
): Promise<RetryResult[]> {
  const originals = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { coordinates } = entry.letter;
    originals.set(coordinates, [...(originals.get(coordinates) ?? []), entry]);
  }
  const results: RetryResult[] = [];
  for (const [coordinates, parked] of originals) {
    const [entry] = parked as [Entry];
    const waiting = again || parked.some(({ retriedAt }) => retriedAt === null);
    if (waiting) await open.log.append([await originalOf(entry, open), retryRecord(entry.letter, entry.record.key)]);
    results.push({
      coordinates,
      eventId: entry.letter.headers['ce_id'] ?? null,
      services: parked.map(({ letter }) => letter.service),
      skipped: waiting ? null : 'retried before',
    });
  }
  return results;
}
