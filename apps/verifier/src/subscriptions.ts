import { RolloutCompleted, RolloutVerified, VerificationFailed } from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [RolloutCompleted],
  emits: [RolloutVerified, VerificationFailed],
};
