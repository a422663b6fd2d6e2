import { describeError } from '@whale/kernel';

/**
 * Stops one thing after the other. What fails to stop (a full disk, say) is told and does not keep the rest running: a
 * service may be killed at any moment, so nothing depends on a clean stop.
 */
export async function stopAll(
  onTrouble: (message: string) => void,
  steps: readonly (() => Promise<void> | undefined)[],
): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      onTrouble(`stopping: ${describeError(error).message}`);
    }
  }
}
