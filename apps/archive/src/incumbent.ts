import { argmax, type ScoredHarness } from '@whale/schedules';
import type { ArchiveState } from './state.ts';

/** The phase's incumbent once an entry has its score: the arg max, or whoever it was until a confirmation changes it. */
export function incumbentAfter(
  { incumbents, confirmation }: ArchiveState,
  phaseId: string,
  entry: ScoredHarness,
): ScoredHarness {
  const before = incumbents[phaseId];
  if (!before) return entry;
  return confirmation ? before : argmax(before, entry);
}
