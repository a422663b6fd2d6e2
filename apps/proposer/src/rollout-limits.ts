import { RolloutLimits } from '@whale/contracts';
import type { HarnessLimitsInput } from '@whale/harness-sandbox';

const { turns, effects, fuel, memoryMegabytes, stepMilliseconds } = RolloutLimits.parse({});

/** Of rollouts that are made again here: those of a spec that says nothing of them, since a request tells none. */
export const ROLLOUT_LIMITS: HarnessLimitsInput = {
  turns,
  effects,
  fuel,
  memoryBytes: memoryMegabytes * 1024 * 1024,
  stepMillis: stepMilliseconds,
};
