import type {
  AcceptanceDecided,
  CandidatesRequested,
  ConfirmationOpened,
  CycleEnded,
  EvaluationCompleted,
  EvaluationOpened,
  ExperimentCancelRequested,
  ExperimentEnded,
  ExperimentStarted,
  HarnessIterationOpened,
  HarnessProposed,
  HarnessScored,
  PhaseEnded,
  PhaseStarted,
  ProposalAudited,
  ProposalFailed,
  RolloutFailed,
  RolloutRequested,
  RolloutVerified,
  VerificationFailed,
  WeightStepOpened,
  WeightsUpdated,
  WeightUpdateFailed,
  WeightUpdateRequested,
} from '@whale/contracts';

/** What the scheduler hears. ExperimentStarted is its own answer to a submission, made with the domain at hand. */
export type SchedulerInput =
  | ExperimentStarted
  | ExperimentCancelRequested
  | RolloutFailed
  | RolloutVerified
  | VerificationFailed
  | WeightsUpdated
  | WeightUpdateFailed
  | HarnessProposed
  | ProposalAudited
  | ProposalFailed
  | HarnessScored;

/** What the scheduler decides. */
export type SchedulerOutput =
  | PhaseStarted
  | WeightStepOpened
  | WeightUpdateRequested
  | HarnessIterationOpened
  | CandidatesRequested
  | ConfirmationOpened
  | AcceptanceDecided
  | EvaluationOpened
  | EvaluationCompleted
  | PhaseEnded
  | CycleEnded
  | ExperimentEnded
  | RolloutRequested;
