import type {
  AcceptanceDecided,
  AnyEvent,
  CandidateRejected,
  CandidatesRequested,
  ConfirmationOpened,
  EvaluationCompleted,
  EvaluationOpened,
  ExperimentEnded,
  ExperimentStarted,
  HarnessProposed,
  HarnessScored,
  IncumbentChanged,
  PhaseEnded,
  PhaseStarted,
  ProposalAudited,
  ProposalFailed,
  Spec,
  WeightStepOpened,
  WeightsUpdated,
  WeightUpdateRequested,
} from '@whale/contracts';
import { RolloutTally } from './tally.ts';

/** A fact with the time of its event, ms since epoch. */
export interface Timed<Data> {
  data: Data;
  at: number;
}

/**
 * What has been heard, by the ids that make two events the same. Nothing here depends on the order in which topics
 * arrive; lists of the schedule keep the order of its topic, which is one partition for an experiment.
 */
export class Facts {
  spec: Spec | null = null;
  started: ExperimentStarted['data'] | null = null;
  ended: Timed<ExperimentEnded['data']> | null = null;
  cancelRequested = false;
  cyclesEnded = 0;
  readonly phasesStarted: Timed<PhaseStarted['data']>[] = [];
  readonly phasesEnded = new Map<string, Timed<PhaseEnded['data']>>();
  readonly steps: WeightStepOpened['data'][] = [];
  readonly updateRequests = new Map<string, WeightUpdateRequested['data']>();
  readonly updates = new Map<string, WeightsUpdated['data']>();
  readonly iterations = new Map<string, { phaseId: string; cycle: number; iteration: number }>();
  readonly requests: CandidatesRequested['data'][] = [];
  readonly evaluations: (Timed<EvaluationOpened['data']> & { afterPhases: number; rolloutsBefore: number })[] = [];
  readonly confirmations: ConfirmationOpened['data'][] = [];
  readonly acceptances = new Map<string, AcceptanceDecided['data']>();
  readonly completed = new Map<string, Timed<EvaluationCompleted['data']>>();
  readonly proposals = new Map<string, HarnessProposed['data'][]>();
  readonly rejections: CandidateRejected['data'][] = [];
  /** Ends of audited attempts, by iteration and attempt. */
  readonly audits = new Map<string, ProposalAudited['data']['totals']>();
  readonly proposalFailures: ProposalFailed['data'][] = [];
  readonly scores = new Map<string, HarnessScored['data']>();
  readonly incumbents = new Map<string, IncumbentChanged['data']>();
  readonly groups = new Map<string, RolloutTally>();
  firstAt: number | null = null;
  lastAt: number | null = null;
  /** Weight and harness rollouts that the schedule has asked for. */
  #asked = 0;

  take(event: AnyEvent, at: number): void {
    this.firstAt = Math.min(this.firstAt ?? at, at);
    this.lastAt = Math.max(this.lastAt ?? at, at);
    switch (event.type) {
      case 'whale.experiment.submitted.v1':
        this.spec ??= event.data.spec;
        return;
      case 'whale.experiment.started.v1':
        this.started = event.data;
        this.spec = event.data.spec;
        return;
      case 'whale.experiment.cancel-requested.v1':
        this.cancelRequested = true;
        return;
      case 'whale.experiment.ended.v1':
        this.ended = { data: event.data, at };
        return;
      case 'whale.cycle.ended.v1':
        this.cyclesEnded = event.data.cycle;
        return;
      case 'whale.phase.started.v1':
        this.phasesStarted.push({ data: event.data, at });
        return;
      case 'whale.phase.ended.v1':
        this.phasesEnded.set(event.data.phaseId, { data: event.data, at });
        return;
      case 'whale.weight-step.opened.v1':
        this.steps.push(event.data);
        this.#asked += event.data.taskIds.length * event.data.rolloutsPerPrompt;
        return;
      case 'whale.weight-update.requested.v1':
        this.updateRequests.set(event.data.stepId, event.data);
        return;
      case 'whale.weights.updated.v2':
        this.updates.set(event.data.stepId, event.data);
        return;
      case 'whale.evaluation.opened.v1':
        this.evaluations.push({
          data: event.data,
          at,
          afterPhases: this.phasesEnded.size,
          rolloutsBefore: this.#asked,
        });
        if (event.data.search) this.#asked += event.data.taskIds.length * event.data.rolloutsPerTask;
        return;
      case 'whale.evaluation.completed.v1':
        this.completed.set(event.data.evaluationId, { data: event.data, at });
        return;
      default:
        this.#takeSearch(event);
    }
  }

  #takeSearch(event: AnyEvent): void {
    switch (event.type) {
      case 'whale.harness-iteration.opened.v1': {
        const { iterationId, phaseId, cycle, iteration } = event.data;
        this.iterations.set(iterationId, { phaseId, cycle, iteration });
        return;
      }
      case 'whale.candidates.requested.v2':
        this.requests.push(event.data);
        return;
      case 'whale.harness.proposed.v1': {
        const { iterationId } = event.data;
        this.proposals.set(iterationId, [...(this.proposals.get(iterationId) ?? []), event.data]);
        return;
      }
      case 'whale.confirmation.opened.v1':
        this.confirmations.push(event.data);
        this.#asked += 2 * event.data.taskIds.length * event.data.rolloutsPerTask;
        return;
      case 'whale.acceptance.decided.v1':
        this.acceptances.set(event.data.confirmationId, event.data);
        return;
      case 'whale.proposal.audited.v1': {
        const { iterationId, attempt, step, totals } = event.data;
        if (step.kind === 'ended') this.audits.set(`${iterationId}/${attempt}`, totals);
        return;
      }
      case 'whale.candidate.rejected.v1':
        this.rejections.push(event.data);
        return;
      case 'whale.proposal.failed.v1':
        this.proposalFailures.push(event.data);
        return;
      case 'whale.harness.scored.v1':
        this.scores.set(event.data.evaluationId, event.data);
        return;
      case 'whale.incumbent.changed.v1':
        this.incumbents.set(event.data.evaluationId, event.data);
        return;
      case 'whale.rollout.verified.v1':
      case 'whale.verification.failed.v1':
      case 'whale.rollout.failed.v1':
        this.#group(event.data.group.id, event.data.group.purpose).take(event);
        return;
      default:
    }
  }

  #group(id: string, purpose: RolloutTally['purpose']): RolloutTally {
    let group = this.groups.get(id);
    if (!group) {
      group = new RolloutTally(purpose);
      this.groups.set(id, group);
    }
    return group;
  }
}
