import type {
  EvaluationOpened,
  HarnessScored,
  IncumbentChanged,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
} from '@whale/contracts';

export type ArchiveInput = EvaluationOpened | RolloutVerified | VerificationFailed | RolloutFailed;
export type ArchiveOutput = HarnessScored | IncumbentChanged;
