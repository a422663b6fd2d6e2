import { RolloutCompleted, WeightsUpdated, WeightUpdateFailed, WeightUpdateRequested } from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [RolloutCompleted, WeightUpdateRequested],
  emits: [WeightsUpdated, WeightUpdateFailed],
};
