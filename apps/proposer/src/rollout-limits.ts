import { RolloutLimits } from '@whale/contracts';
import { sandboxLimits } from '@whale/harness-sandbox';

/** Of rollouts that are made again here: those of a spec that says nothing of them, since a request tells none. */
export const ROLLOUT_LIMITS = sandboxLimits(RolloutLimits.parse({}));
