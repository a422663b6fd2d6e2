import type { BlobRef, HarnessRef } from '@whale/contracts';
import type { CallBegun, Draft, OwnStep, Rejection } from '@whale/proposers';
import { NOTHING_YET, spentWith, type Totals } from './totals.ts';

/** An entry of a session's journal as the store keeps it: what is large lies in the blob store. */
export type Stored =
  | { kind: 'begun'; entry: CallBegun }
  | { kind: 'step'; step: OwnStep; content: BlobRef }
  | { kind: 'candidate'; harness: HarnessRef; draft: Omit<Draft, 'source'>; rejection: Rejection | null };

/** Where a session stands by its journal. */
export interface Standing {
  /** Of the last step that was told. */
  sequence: number;
  totals: Totals;
  written: number;
  valid: number;
  /** A call that was begun, and of which nothing more is known. */
  open: CallBegun | null;
}

export function standingOf(stored: readonly Stored[]): Standing {
  const standing: Standing = { sequence: 0, totals: NOTHING_YET, written: 0, valid: 0, open: null };
  for (const entry of stored) {
    if (entry.kind === 'begun') {
      standing.open = entry.entry;
      continue;
    }
    standing.sequence++;
    if (entry.kind === 'candidate') {
      standing.written++;
      if (entry.rejection === null) standing.valid++;
      continue;
    }
    standing.totals = spentWith(standing.totals, entry.step);
    if (entry.step.kind !== 'tool') standing.open = null;
  }
  return standing;
}

type Named = { experimentId: string; iterationId: string; attempt: number };

/** Of all attempts of an iteration. */
export function sessionPrefix({ experimentId, iterationId }: Omit<Named, 'attempt'>): string {
  return `session/${experimentId}/${iterationId}/`;
}

export function attemptPrefix(named: Named): string {
  return `${sessionPrefix(named)}${named.attempt}/`;
}

/** Sorts as it counts. */
export function entryKey(named: Named, entry: number): string {
  return `${attemptPrefix(named)}${String(entry).padStart(8, '0')}`;
}
