import type { WhaleError } from '@whale/kernel';

/**
 * Rejects with what `late` makes as soon as so many ms are over; what the work gives or throws after that is dropped. The
 * timer keeps no process alive.
 */
export async function within<T>(
  milliseconds: number,
  work: () => T | Promise<T>,
  late: () => WhaleError,
): Promise<Awaited<T>> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
    timer.unref();
  });
  try {
    return await Promise.race([work(), over]);
  } finally {
    clearTimeout(timer);
  }
}
