import {
  EvaluationOpened,
  HarnessScored,
  IncumbentChanged,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
} from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [EvaluationOpened, RolloutVerified, VerificationFailed, RolloutFailed],
  emits: [HarnessScored, IncumbentChanged],
};
