import type {
  BlobRef,
  EvaluationCompleted,
  ExperimentStarted,
  HarnessProposed,
  HarnessRef,
  HarnessScored,
  Ledger,
  PhaseEnded,
  PhaseKind,
  ProposalTotals,
  Split,
  WeightsRef,
  WeightsUpdated,
} from '@whale/contracts';
import { freshPatience, type Patience, type StepReward } from '@whale/schedules';

/** Rollouts that are asked for together and close together. Their ids follow from these fields (rollouts.ts). */
export interface Group {
  id: string;
  purpose: 'weight' | 'harness' | 'evaluation';
  split: Split;
  taskIds: readonly string[];
  rolloutsPerTask: number;
  weights: WeightsRef;
  harness: HarnessRef;
  seedScope: string;
  /** Attempt that was last asked for, by rollout id, where it is above 1. */
  attempts: Readonly<Record<string, number>>;
}

/** A verdict in short: reward counted or the error kind, and the tokens. */
export interface VerdictFact {
  outcome: 'correct' | 'incorrect' | 'truncated' | 'harness_error' | 'verifier_error';
  prompt: number;
  sampled: number;
}

export interface FailureFact {
  attempt: number;
  final: boolean;
  message: string;
  /** Of a proposal: the proposer cannot work, so that no later request would fare better. */
  broken?: true;
}

/**
 * What has been heard and not yet used. A fact may arrive long before the decision that waits for it: also a later
 * attempt before the earlier one has been asked for again. So facts only add up here, and the attempts are asked for
 * one after the other when their turn comes.
 */
export interface Facts {
  verdicts: Readonly<Record<string, Readonly<Record<string, VerdictFact>>>>;
  /** Rollouts whose failure is final. */
  lost: Readonly<Record<string, Readonly<Record<string, true>>>>;
  /** By rollout the attempt that must have been asked for, where it is above 1. */
  attempts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  updates: Readonly<Record<string, UpdateFact>>;
  updateFailures: Readonly<Record<string, FailureFact>>;
  proposals: Readonly<Record<string, readonly Pick<HarnessProposed['data'], 'index' | 'of' | 'harness'>[]>>;
  proposalFailures: Readonly<Record<string, FailureFact>>;
  /** By iteration and attempt what an audited attempt cost, until it is in the ledger; absent when there is none. */
  audits?: Readonly<Record<string, Readonly<Record<number, ProposalCost>>>>;
  scores: Readonly<Record<string, ScoreFact>>;
}

export type ProposalCost = Pick<ProposalTotals, 'calls' | 'tokens' | 'usd'>;

/** All of the event's first version: a field that came later and decides nothing would part new state from old. */
export type UpdateFact = Omit<WeightsUpdated['data'], 'batches'>;

export type ScoreFact = Pick<
  HarnessScored['data'],
  'evaluationId' | 'harnessId' | 'score' | 'correct' | 'measured' | 'outcomes' | 'tokens' | 'incumbent'
>;

export type Stage =
  | { at: 'submitted' }
  /** Between phases: evaluate, begin the next phase, or end. */
  | { at: 'idle' }
  | { at: 'evaluating'; open: readonly string[] }
  | { at: 'weight-next' }
  | { at: 'stepping'; stepId: string }
  | { at: 'updating'; stepId: string; attempt: number; accepted: readonly string[]; reward: StepReward }
  | { at: 'harness-begin' }
  | { at: 'harness-next' }
  | { at: 'proposing'; iterationId: string; attempt: number }
  | { at: 'candidates'; harnesses: readonly HarnessRef[] }
  | { at: 'scoring'; evaluations: readonly string[]; of: number }
  /** A candidate stands above the incumbent: it is to be measured again. */
  | { at: 'challenged' }
  /** Group ids of the fresh rollouts. */
  | { at: 'confirming'; confirmationId: string; challenger: string; incumbent: string }
  | { at: 'failing'; reason: string }
  | { at: 'ended' };

export type SearchEntry = Pick<ScoreFact, 'evaluationId' | 'harnessId' | 'score' | 'correct' | 'measured'>;

/** Who may become the incumbent of a phase whose winners are confirmed. */
export interface Contest {
  incumbent: SearchEntry;
  /** Above the incumbent by search score and not refused, in the order of scoring. */
  rivals: readonly SearchEntry[];
  /** Ids of harnesses that fresh rollouts did not confirm: not tried again in this phase. */
  refused: readonly string[];
}

export interface PhaseProgress {
  phaseId: string;
  cycle: number;
  kind: PhaseKind;
  /** Weight: prompts of the persistent sampler; harness: iterations. */
  from: number;
  to: number;
  patience: Patience;
  rewards: readonly StepReward[];
  count: number;
  candidates: number;
  rollouts: number;
  incumbentScore: number | null;
  /** Absent where the arg max is accepted as it is. */
  contest?: Contest;
}

/** One evaluated pair, in the order of evaluation. */
export interface EvaluatedPair {
  cycle: number;
  weights: string;
  harness: string;
}

export interface SchedulerState {
  started: ExperimentStarted['data'] | null;
  cancelReason: string | null;
  stage: Stage;
  weights: WeightsRef | null;
  optimizer: BlobRef | null;
  harness: HarnessRef | null;
  groups: Readonly<Record<string, Group>>;
  closedGroups: readonly string[];
  facts: Facts;
  /** Next prompt of the persistent sampler. */
  position: number;
  steps: number;
  /** Updates that changed the weights. */
  versions: number;
  phasesBegun: number;
  weightPhases: number;
  phase: PhaseProgress | null;
  endedPhases: readonly PhaseEnded['data'][];
  cyclesEnded: number;
  budgetSpent: boolean;
  /** Harness sources by id, for evaluations that name only the id. */
  archive: readonly { evaluationId: string; harness: HarnessRef; weightsVersion: string }[];
  evaluations: Readonly<Record<string, EvaluationCompleted['data']>>;
  pairs: readonly EvaluatedPair[];
  ledger: Ledger;
}

export const initialState: SchedulerState = {
  started: null,
  cancelReason: null,
  stage: { at: 'submitted' },
  weights: null,
  optimizer: null,
  harness: null,
  groups: {},
  closedGroups: [],
  facts: {
    verdicts: {},
    lost: {},
    attempts: {},
    updates: {},
    updateFailures: {},
    proposals: {},
    proposalFailures: {},
    scores: {},
  },
  position: 0,
  steps: 0,
  versions: 0,
  phasesBegun: 0,
  weightPhases: 0,
  phase: null,
  endedPhases: [],
  cyclesEnded: 0,
  budgetSpent: false,
  archive: [],
  evaluations: {},
  pairs: [],
  ledger: {
    rollouts: { weight: 0, harness: 0, evaluation: 0 },
    tokens: { prompt: 0, sampled: 0, trained: 0, processed: 0 },
    proposer: { calls: 0, tokens: 0, usd: 0 },
  },
};

export const newPhase = (
  identity: Pick<PhaseProgress, 'phaseId' | 'cycle' | 'kind' | 'from' | 'to'>,
): PhaseProgress => ({
  ...identity,
  patience: freshPatience,
  rewards: [],
  count: 0,
  candidates: 0,
  rollouts: 0,
  incumbentScore: null,
});

/** The running experiment's constants; an error here is a bug of the scheduler. */
export function running(state: SchedulerState): {
  started: ExperimentStarted['data'];
  weights: WeightsRef;
  harness: HarnessRef;
} {
  if (!state.started || !state.weights || !state.harness) throw new Error('the experiment has not started');
  return { started: state.started, weights: state.weights, harness: state.harness };
}

export function evaluationKey(weights: string, harness: string, split: Split): string {
  return `${weights}/${harness}/${split}`;
}

/** Weight and harness rollouts asked for so far: what the budget bounds. */
export function spentRollouts(state: SchedulerState): number {
  return state.ledger.rollouts.weight + state.ledger.rollouts.harness;
}

export function remainingRollouts(state: SchedulerState): number {
  return (state.started?.spec.budget.rollouts ?? Infinity) - spentRollouts(state);
}
