/**
 * Resolves in a turn of the event loop that nobody else who waits here shares: between two waiters timers, messages and
 * I/O have their chance. So what a process does between two calls bounds how long its loop stands still, however many
 * services, rollouts and batches it works on at the same time.
 *
 * `setImmediate` alone does not do: all that wait for it are served in one turn.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

const waiting: (() => void)[] = [];

function next(): void {
  waiting.shift()?.();
  // Set before the waiter goes on, and still served one turn later: a turn runs only the immediates it began with.
  if (waiting.length > 0) setImmediate(next);
}
