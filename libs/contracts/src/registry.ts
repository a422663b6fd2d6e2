import type { EventDefinition, EventOf } from './event-definition.ts';
import { EventVersions } from './event-versions.ts';
import { AcceptanceDecided } from './events/acceptance-decided.v1.ts';
import { CandidateRejected } from './events/candidate-rejected.v1.ts';
import { CandidatesRequested, candidatesRequestedFromV1 } from './events/candidates-requested.v2.ts';
import { ConfirmationOpened } from './events/confirmation-opened.v1.ts';
import { CycleEnded } from './events/cycle-ended.v1.ts';
import { EvaluationCompleted } from './events/evaluation-completed.v1.ts';
import { EvaluationOpened } from './events/evaluation-opened.v1.ts';
import { ExperimentCancelRequested } from './events/experiment-cancel-requested.v1.ts';
import { ExperimentEnded } from './events/experiment-ended.v1.ts';
import { ExperimentStarted } from './events/experiment-started.v1.ts';
import { ExperimentSubmitted } from './events/experiment-submitted.v1.ts';
import { HarnessIterationOpened } from './events/harness-iteration-opened.v1.ts';
import { HarnessProposed } from './events/harness-proposed.v1.ts';
import { HarnessScored } from './events/harness-scored.v1.ts';
import { IncumbentChanged } from './events/incumbent-changed.v1.ts';
import { PhaseEnded } from './events/phase-ended.v1.ts';
import { PhaseStarted } from './events/phase-started.v1.ts';
import { ProposalAudited } from './events/proposal-audited.v1.ts';
import { ProposalFailed } from './events/proposal-failed.v1.ts';
import { RolloutCompleted } from './events/rollout-completed.v1.ts';
import { RolloutFailed } from './events/rollout-failed.v1.ts';
import { RolloutRequested } from './events/rollout-requested.v1.ts';
import { RolloutVerified } from './events/rollout-verified.v1.ts';
import { VerificationFailed } from './events/verification-failed.v1.ts';
import { WeightStepOpened } from './events/weight-step-opened.v1.ts';
import { WeightUpdateFailed } from './events/weight-update-failed.v1.ts';
import { WeightUpdateRequested } from './events/weight-update-requested.v1.ts';
import { WeightsUpdated, weightsUpdatedFromV1 } from './events/weights-updated.v2.ts';

/** The newest version of each event: what is written, and what consumers see. */
export const EVENTS = [
  AcceptanceDecided,
  CandidateRejected,
  CandidatesRequested,
  ConfirmationOpened,
  CycleEnded,
  EvaluationCompleted,
  EvaluationOpened,
  ExperimentCancelRequested,
  ExperimentEnded,
  ExperimentStarted,
  ExperimentSubmitted,
  HarnessIterationOpened,
  HarnessProposed,
  HarnessScored,
  IncumbentChanged,
  PhaseEnded,
  PhaseStarted,
  ProposalAudited,
  ProposalFailed,
  RolloutCompleted,
  RolloutFailed,
  RolloutRequested,
  RolloutVerified,
  VerificationFailed,
  WeightStepOpened,
  WeightUpdateFailed,
  WeightUpdateRequested,
  WeightsUpdated,
] as const;

const UPCASTERS = [candidatesRequestedFromV1, weightsUpdatedFromV1];

/** Versions that are read and not written any more. */
export const OLD_EVENTS: readonly EventDefinition[] = UPCASTERS.map(({ from }) => from);

/** Any event of the platform, told apart by `type`. */
export type AnyEvent = EventOf<(typeof EVENTS)[number]>;

export const eventVersions = new EventVersions(EVENTS as readonly EventDefinition[], UPCASTERS);

/** The newest version of an event; undefined for a type that is none, an old version included. */
export function eventDefinition(type: string): EventDefinition | undefined {
  return eventVersions.newest(type);
}

/**
 * The type that consumers know an event by: its newest version, whatever version the header of a record names. Compare
 * `ce_type` by it, never as it is. A type that is no event is itself.
 */
export function latestType(type: string): string {
  return eventVersions.latestType(type);
}
