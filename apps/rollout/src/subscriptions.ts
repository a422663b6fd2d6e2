import { RolloutCompleted, RolloutFailed, RolloutRequested } from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [RolloutRequested],
  emits: [RolloutCompleted, RolloutFailed],
};
