import {
  AcceptanceDecided,
  CandidateRejected,
  CandidatesRequested,
  ExperimentStarted,
  HarnessProposed,
  HarnessScored,
  IncumbentChanged,
  PhaseEnded,
  PhaseStarted,
  ProposalFailed,
  RolloutCompleted,
  type AnyEvent,
  type EventDefinition,
  type EventEnvelope,
  type HarnessRef,
  type Spec,
  type TopicName,
} from '@whale/contracts';
import { clip } from './text.ts';

const USED = [
  AcceptanceDecided,
  CandidateRejected,
  CandidatesRequested,
  ExperimentStarted,
  HarnessProposed,
  HarnessScored,
  IncumbentChanged,
  PhaseEnded,
  PhaseStarted,
  ProposalFailed,
] as const;

/** The events that a workspace is made of, besides the rollouts that they name. */
export const FACT_TYPES: ReadonlySet<string> = new Set(USED.map(({ type }) => type));
/** All that whoever makes workspaces reads of the log. */
export const WORKSPACE_EVENTS: readonly EventDefinition[] = [...USED, RolloutCompleted];
/** Topics of effects before those of their causes: read in this order, what an event names is there as well. */
export const FACT_TOPICS: readonly TopicName[] = ['whale.schedule.v1', 'whale.archive.v1', 'whale.harnesses.v1'];

/** Characters kept of a rejected source: one that is refused for its size may have megabytes. */
const MOST_REJECTED_SOURCE = 64 << 10;

/** In the order of the schedule, which is one partition for an experiment. */
export type ScheduleEntry =
  | { kind: 'phase-started'; data: PhaseStarted['data'] }
  | { kind: 'phase-ended'; data: PhaseEnded['data'] }
  | { kind: 'requested'; data: CandidatesRequested['data'] }
  | { kind: 'decided'; data: AcceptanceDecided['data'] };

export type Proposal = Omit<HarnessProposed['data'], 'source' | 'diff'>;
export type RejectedCandidate = CandidateRejected['data'];

/** What came of an iteration's requests and did not become a candidate, in the order of the log. */
export type Setback =
  | { kind: 'rejected'; data: RejectedCandidate }
  | { kind: 'failed'; data: Pick<ProposalFailed['data'], 'attempt' | 'error'> };

/**
 * What a workspace may know of an experiment, by a list of what is taken and not of what is left out. Invariants, each
 * named by a test:
 * W1 Nothing of the splits weight, validation and test enters, nor a gold answer.
 * W2 Any interleaving of the topics, each in its own order and with doubles, gives the same facts.
 */
export class WorkspaceFacts {
  readonly #experimentId: string;
  readonly #seen = new Set<string>();
  /** Ids of D_harness; null before the experiment has started. */
  tasks: readonly string[] | null = null;
  domain: Spec['domain'] | null = null;
  /** h₀ */
  seed: HarnessRef | null = null;
  readonly schedule: ScheduleEntry[] = [];
  readonly proposals = new Map<string, Proposal[]>();
  readonly setbacks = new Map<string, Setback[]>();
  /** By evaluation, in the order of scoring. */
  readonly scores = new Map<string, HarnessScored['data']>();
  readonly incumbents: IncumbentChanged['data'][] = [];
  /** Where the sources of the harnesses are, by id. */
  readonly refs = new Map<string, HarnessRef>();

  constructor(experimentId: string) {
    this.#experimentId = experimentId;
  }

  take({ id, event }: Pick<EventEnvelope, 'id' | 'event'>): void {
    if (!FACT_TYPES.has(event.type) || event.data.experimentId !== this.#experimentId || this.#seen.has(id)) return;
    this.#seen.add(id);
    this.#take(event);
  }

  #take(event: AnyEvent): void {
    switch (event.type) {
      case ExperimentStarted.type: {
        const { splits, spec, harness } = event.data;
        this.tasks = splits.harness;
        this.domain = spec.domain;
        this.seed = harness;
        this.#refer(harness);
        return;
      }
      case PhaseStarted.type:
        this.schedule.push({ kind: 'phase-started', data: event.data });
        return;
      case PhaseEnded.type:
        this.schedule.push({ kind: 'phase-ended', data: event.data });
        return;
      case CandidatesRequested.type:
        this.schedule.push({ kind: 'requested', data: event.data });
        return;
      case AcceptanceDecided.type:
        this.schedule.push({ kind: 'decided', data: event.data });
        return;
      case HarnessProposed.type: {
        const { source: _source, diff: _diff, ...proposal } = event.data;
        append(this.proposals, proposal.iterationId, proposal);
        this.#refer(proposal.harness);
        return;
      }
      case CandidateRejected.type: {
        const data = { ...event.data, source: clip(event.data.source, MOST_REJECTED_SOURCE) };
        append(this.setbacks, data.iterationId, { kind: 'rejected', data });
        return;
      }
      case ProposalFailed.type: {
        const { iterationId, attempt, error } = event.data;
        append(this.setbacks, iterationId, { kind: 'failed', data: { attempt, error } });
        return;
      }
      case HarnessScored.type:
        this.scores.set(event.data.evaluationId, event.data);
        return;
      case IncumbentChanged.type:
        this.incumbents.push(event.data);
        return;
      default:
    }
  }

  #refer(harness: HarnessRef): void {
    if (!this.refs.has(harness.id)) this.refs.set(harness.id, harness);
  }
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
