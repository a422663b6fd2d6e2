import {
  AcceptanceDecided,
  ConfirmationOpened,
  EvaluationOpened,
  ExperimentStarted,
  HarnessScored,
  IncumbentChanged,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
} from '@whale/contracts';
import type { Subscriptions } from '@whale/service-kit';

export const subscriptions: Subscriptions = {
  consumes: [
    ExperimentStarted,
    EvaluationOpened,
    ConfirmationOpened,
    AcceptanceDecided,
    RolloutVerified,
    VerificationFailed,
    RolloutFailed,
  ],
  emits: [HarnessScored, IncumbentChanged],
};
