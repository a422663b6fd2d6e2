/** The longest that a timer can wait, ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
