import {
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
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
  WeightStepOpened,
  WeightsUpdated,
  WeightUpdateRequested,
  type AnyEvent,
  type EventEnvelope,
  type TopicName,
} from '@whale/contracts';
import { deriveView } from './derive.ts';
import { Facts } from './facts.ts';
import type { ExperimentView } from './view.ts';

const USED = [
  ExperimentSubmitted,
  ExperimentCancelRequested,
  ExperimentStarted,
  PhaseStarted,
  WeightStepOpened,
  WeightUpdateRequested,
  HarnessIterationOpened,
  CandidatesRequested,
  ConfirmationOpened,
  AcceptanceDecided,
  EvaluationOpened,
  EvaluationCompleted,
  PhaseEnded,
  CycleEnded,
  ExperimentEnded,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
  WeightsUpdated,
  HarnessProposed,
  CandidateRejected,
  ProposalAudited,
  ProposalFailed,
  HarnessScored,
  IncumbentChanged,
] as const;

/** Types of the events that the view is made of: a reader need not decode others. */
export const VIEW_TYPES: ReadonlySet<string> = new Set(USED.map((definition) => definition.type));
export const VIEW_TOPICS: readonly TopicName[] = [...new Set(USED.map((definition) => definition.topic))];

/** What the fold needs of an envelope. `time` is ISO 8601; it enters durations and nothing else. */
export type SeenEvent = Pick<EventEnvelope<AnyEvent>, 'id' | 'time' | 'event'>;

/**
 * Folds the events of one experiment into its view. Invariants, each named by a test:
 * V1 Any interleaving of the topics, each in its own order, gives the same view.
 * V2 An event that comes again (same id) changes nothing.
 * V3 Once the experiment has completed, the ledger counted here equals the one in ExperimentEnded.
 * V4 Events of other experiments are ignored.
 */
export class ExperimentFold {
  readonly #experimentId: string;
  readonly #seen = new Set<string>();
  readonly #facts = new Facts();

  constructor(experimentId: string) {
    this.#experimentId = experimentId;
  }

  /** True when the event was new and of this experiment. */
  take(seen: SeenEvent): boolean {
    if (!VIEW_TYPES.has(seen.event.type)) return false;
    if (seen.event.data.experimentId !== this.#experimentId || this.#seen.has(seen.id)) return false;
    this.#seen.add(seen.id);
    this.#facts.take(seen.event, Date.parse(seen.time));
    return true;
  }

  view(): ExperimentView {
    return deriveView(this.#experimentId, this.#facts);
  }
}

export function viewOf(experimentId: string, events: Iterable<SeenEvent>): ExperimentView {
  const fold = new ExperimentFold(experimentId);
  for (const event of events) fold.take(event);
  return fold.view();
}
