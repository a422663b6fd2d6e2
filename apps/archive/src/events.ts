import type {
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

export type ArchiveInput =
  | ExperimentStarted
  | EvaluationOpened
  | ConfirmationOpened
  | AcceptanceDecided
  | RolloutVerified
  | VerificationFailed
  | RolloutFailed;
export type ArchiveOutput = HarnessScored | IncumbentChanged;
