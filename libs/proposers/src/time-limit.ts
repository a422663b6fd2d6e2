import { LONGEST_TIMER_MS } from '@whale/kernel';

/** A signal that aborts when so many ms of wall time are over. */
export function timeLimit(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(milliseconds)), LONGEST_TIMER_MS));
}
