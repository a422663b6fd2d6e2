/** The longest that a timer can wait, ms. */
export const LONGEST_MS = 2 ** 31 - 1;

/** A signal that aborts when so many ms of wall time are over. */
export function timeLimit(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(milliseconds)), LONGEST_MS));
}
