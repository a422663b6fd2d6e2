import type {
  AcceptanceDecided,
  Estimate,
  HarnessRef,
  Ledger,
  Outcome,
  OutcomeCounts,
  PairResult,
  PhaseEnded,
  PhaseKind,
  Spec,
  Split,
  WeightsRef,
} from '@whale/contracts';
import type { TaskTally } from '@whale/schedules';

export type ExperimentStatus = 'unknown' | 'submitted' | 'running' | 'completed' | 'failed' | 'cancelled';

/** (θ, h) by weights version (`w3`) and harness id (sha256). */
export interface PairId {
  weights: string;
  harness: string;
}

/** A pair that was measured, or is being measured, on validation or test. In the order of the schedule. */
export interface PairView extends PairId {
  cycle: number;
  /** Which phase had ended when it was measured. */
  after: 'base' | PhaseKind;
  test: Estimate | null;
  validation: Estimate | null;
  testOutcomes: OutcomeCounts | null;
  /** Weight and harness rollouts that had been asked for when it was measured. */
  rollouts: number;
}

export interface StepView {
  stepId: string;
  /** Counts over the whole experiment, from 1. */
  step: number;
  prompts: number;
  asked: number;
  done: number;
  stage: 'rollouts' | 'training' | 'done';
  /** Mean verifier reward of the step, [0, 1]; null while its rollouts are open. */
  reward: number | null;
  /** |S⁺| */
  accepted: number | null;
  /** Nats a token; null while training, and when nothing was trained. */
  loss: number | null;
  /** The version that stands after the step. */
  weights: string | null;
  changed: boolean;
}

export interface PhaseView {
  phaseId: string;
  cycle: number;
  kind: PhaseKind;
  start: PairId;
  end: PairId | null;
  /** Prompts (weight) or iterations (harness) at the most. */
  maximum: number;
  steps: readonly StepView[];
  iterations: number;
  candidates: number;
  rollouts: number;
  /** Share of D_weight that was consumed. */
  epochs: number;
  endReason: PhaseEnded['data']['reason'] | null;
  /** The numbers that ended the phase, by name. */
  signal: Readonly<Record<string, number>>;
  /** Weight and harness rollouts of the experiment when the phase began, and so far. */
  rolloutsFrom: number;
  rolloutsTo: number;
  /** Wall time from its first to its last event, s. Time in which nothing ran (an interruption) is part of it. */
  seconds: number;
}

/** One harness measured under one θ on D_harness. */
export interface ArchiveEntryView extends PairId {
  evaluationId: string;
  phaseId: string;
  cycle: number;
  /** 0 is the phase's first harness. */
  iteration: number;
  index: number;
  of: number;
  asked: number;
  done: number;
  scored: boolean;
  /** null: not scored yet, or nothing could be measured. */
  score: number | null;
  correct: number;
  measured: number;
  outcomes: OutcomeCounts | null;
  /** The harness became the incumbent with this score. */
  accepted: boolean;
  /** The arg max of the phase's archive after this entry. */
  incumbent: string | null;
  /** Of the proposal that this entry measures; null, '' and [] for the phase's first harness. */
  parent: string | null;
  hypothesis: string;
  changes: readonly string[];
  diff: string;
}

/** An apparent winner that is measured again beside the incumbent (`harness.acceptance: confirm`). */
export interface AcceptanceView {
  confirmationId: string;
  phaseId: string;
  cycle: number;
  /** After which it was the best of the archive. */
  iteration: number;
  weights: string;
  /** Harness ids. */
  challenger: string;
  incumbent: string;
  /** Fresh rollouts of both. */
  asked: number;
  done: number;
  /** Totals of both, paired statistics and the verdict; null while the rollouts are open. */
  decision: AcceptanceDecided['data'] | null;
}

/** A harness that was proposed, by its first proposal. h₀ has no parent. */
export interface HarnessView {
  id: string;
  ref: HarnessRef;
  parent: string | null;
  hypothesis: string | null;
  changes: readonly string[];
  diff: string;
  cycle: number;
  iteration: number;
  index: number;
}

export interface RejectedView {
  cycle: number;
  iteration: number;
  number: number;
  parent: string;
  hypothesis: string;
  stage: string;
  message: string;
  line: number | null;
}

/** Rollouts that are under way. */
export interface OpenGroupView {
  id: string;
  purpose: 'weight' | 'harness' | 'evaluation';
  split: Split;
  asked: number;
  done: number;
  correct: number;
}

export interface LedgerView extends Ledger {
  /** Rollouts that have a verdict or a final failure. */
  done: Ledger['rollouts'];
  /** Attempts of rollouts that failed for infrastructure or verifier reasons. */
  errors: number;
  /** Wall time from event times, s. `total` runs from the submission to the last event. */
  seconds: { weight: number; harness: number; evaluation: number; total: number };
  /** Finished rollouts of all purposes by `seconds.total`; 0 while nothing is known. */
  rolloutsPerSecond: number;
}

/** How a pair did on one test task. */
export interface TaskResult {
  taskId: string;
  correct: number;
  measured: number;
  samples: readonly { rolloutId: string; sampleIndex: number; outcome: Outcome }[];
}

/** All that a person wants to see of an experiment, as its events tell it. */
export interface ExperimentView {
  experimentId: string;
  status: ExperimentStatus;
  /** Why it ended. */
  reason: string | null;
  cancelRequested: boolean;
  spec: Spec | null;
  base: { weights: WeightsRef; harness: HarnessRef } | null;
  /** Tasks by split. */
  splits: Readonly<Record<Split, number>> | null;
  phases: readonly PhaseView[];
  cyclesEnded: number;
  pairs: readonly PairView[];
  archive: readonly ArchiveEntryView[];
  acceptances: readonly AcceptanceView[];
  harnesses: readonly HarnessView[];
  rejected: readonly RejectedView[];
  /** Requests for candidates that came to nothing, as messages. */
  failures: readonly string[];
  open: readonly OpenGroupView[];
  /** A request for candidates that is not answered yet. */
  proposing: { cycle: number; iteration: number; attempt: number } | null;
  ledger: LedgerView;
  result: { base: PairResult | null; best: PairResult | null; bestOnTest: PairResult | null } | null;
  /** Results on test, by `weights/harness`. */
  tasks: ReadonlyMap<string, readonly TaskResult[]>;
  /** By phase id, how its first harness did on each task of D_harness; what `phaseNoise` goes by. */
  firstHarnesses: ReadonlyMap<string, readonly TaskTally[]>;
  /** Of the events seen, ms since epoch; null without any. */
  firstEventAt: number | null;
  lastEventAt: number | null;
}
