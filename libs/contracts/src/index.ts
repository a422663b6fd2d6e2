export { BlobRef, Diagnostics, ErrorInfo, Estimate, HarnessRef, Outcome, Split, WeightsRef } from './primitives.ts';
export {
  Effect,
  EffectRecord,
  GenerateEffect,
  Message,
  Reply,
  RolloutEnd,
  Segment,
  TokenSample,
  ToolEffect,
} from './trajectory.ts';
export { AcceptanceDecided } from './events/acceptance-decided.v1.ts';
export { CandidateRejected } from './events/candidate-rejected.v1.ts';
export { CandidatesRequested } from './events/candidates-requested.v2.ts';
export { ConfirmationOpened } from './events/confirmation-opened.v1.ts';
export { CycleEnded } from './events/cycle-ended.v1.ts';
export { EvaluationCompleted } from './events/evaluation-completed.v1.ts';
export { EvaluationOpened } from './events/evaluation-opened.v1.ts';
export { ExperimentCancelRequested } from './events/experiment-cancel-requested.v1.ts';
export { ExperimentEnded } from './events/experiment-ended.v1.ts';
export { ExperimentStarted } from './events/experiment-started.v1.ts';
export { ExperimentSubmitted } from './events/experiment-submitted.v1.ts';
export { HarnessIterationOpened } from './events/harness-iteration-opened.v1.ts';
export { HarnessProposed } from './events/harness-proposed.v1.ts';
export { HarnessScored } from './events/harness-scored.v1.ts';
export { IncumbentChanged } from './events/incumbent-changed.v1.ts';
export { PhaseEnded } from './events/phase-ended.v1.ts';
export { PhaseStarted } from './events/phase-started.v1.ts';
export {
  ProposalAudited,
  ProposalStep,
  ProposalTotals,
  ProposerUsage,
  tokensUsed,
} from './events/proposal-audited.v1.ts';
export { ProposalFailed } from './events/proposal-failed.v1.ts';
export { RolloutCompleted } from './events/rollout-completed.v1.ts';
export { RolloutFailed } from './events/rollout-failed.v1.ts';
export { RolloutRequested } from './events/rollout-requested.v1.ts';
export { RolloutVerified } from './events/rollout-verified.v1.ts';
export { VerificationFailed } from './events/verification-failed.v1.ts';
export { WeightStepOpened } from './events/weight-step-opened.v1.ts';
export { WeightUpdateFailed } from './events/weight-update-failed.v1.ts';
export { WeightUpdateRequested } from './events/weight-update-requested.v1.ts';
export { WeightsUpdated } from './events/weights-updated.v2.ts';
export {
  PhaseKind,
  OutcomeCounts,
  isMeasured,
  measuredRollouts,
  noOutcomes,
  TokenCounts,
  RolloutGroup,
  PairResult,
  Ledger,
} from './shared.ts';
export { ConfirmRule, ProposerSpec, type ProposerKind, Spec, Strategy, RolloutLimits, type SpecInput } from './spec.ts';
export { parseSpec, experimentIdOf } from './parse-spec.ts';
export {
  TOPICS,
  TOPIC_NAMES,
  SERVICES,
  deadLetterTopic,
  topicDefinitions,
  type Topic,
  type TopicLayout,
  type TopicName,
  type ServiceName,
  type Writer,
} from './topics.ts';
export { defineEvent, eventId, type DomainEvent, type EventDefinition, type EventOf } from './event-definition.ts';
export { EVENTS, OLD_EVENTS, eventDefinition, latestType, type AnyEvent } from './registry.ts';
export { ContractError, type ContractErrorCode } from './contract-error.ts';
export {
  CLAIM_CHECK_BYTES,
  decodeRecord,
  encodeEvent,
  type EventContext,
  problemOfName,
  type EventEnvelope,
  type WireRecord,
} from './envelope.ts';
export { formatIssues } from './format-issues.ts';
export {
  coordinatesOf,
  originalRecord,
  parkedRecord,
  readDeadLetter,
  retryRecord,
  type DeadLetter,
  type ParkingCause,
  type RetryNote,
} from './dead-letter.ts';
