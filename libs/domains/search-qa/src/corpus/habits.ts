import type { Habit } from '../protocol.ts';

/** How often the teacher does what, as chances in [0, 1]. */
export interface Habits {
  /** Writes the query as `<name> <key word>`. */
  terse: number;
  /** Takes the newest version when several are shown with their years. */
  newest: number;
  /** Copies another name than the one meant. */
  slips: number;
  /** Breaks the one-line protocol. */
  malformed: number;
  /** Makes the second search of a two-hop question, instead of answering after the first. */
  hops: number;
  /** Gives up although it could answer. */
  quits: number;
}

/** The teacher is able and careless: right often enough to learn from, wrong often enough to leave room for RSFT. */
export const HABITS: Record<Habit, Habits> = {
  plain: { terse: 0.45, newest: 0.5, slips: 0.16, malformed: 0.24, hops: 0.6, quits: 0.06 },
  careful: { terse: 0.75, newest: 0.65, slips: 0.13, malformed: 0.12, hops: 0.7, quits: 0.03 },
  final: { terse: 0.45, newest: 0.55, slips: 0.14, malformed: 0.1, hops: 0.6, quits: 0 },
  wordy: { terse: 0.2, newest: 0.5, slips: 0.16, malformed: 0.75, hops: 0.5, quits: 0.06 },
};

/** Shares of the habits in the corpus. */
export const HABIT_SHARES: readonly { habit: Habit; share: number }[] = [
  { habit: 'plain', share: 0.5 },
  { habit: 'careful', share: 0.25 },
  { habit: 'final', share: 0.17 },
  { habit: 'wordy', share: 0.08 },
];

/** Chances that a caller wants otherwise, by habit; the rest stays as in `HABITS`. */
export type HabitChanges = Partial<Record<Habit, Partial<Habits>>>;
