import type { AcceptanceDecided, Estimate, PairResult, Spec } from '@whale/contracts';
import { phaseNoise, type PhaseNoise } from './noise.ts';
import { pairOf, provisionalResult } from './result.ts';
import type { ExperimentStatus, ExperimentView, LedgerView, PhaseView } from './view.ts';

type Measured = Estimate &
  Pick<PairResult, 'weights' | 'harness' | 'chosenOn' | 'cycle'> & { validation: Estimate | null };

/** `whale show ID --json` (DESIGN §11). Until the experiment has ended, `best` is provisional. */
export interface ExperimentSummary {
  experimentId: string;
  spec: Spec | null;
  status: ExperimentStatus;
  reason: string | null;
  base: Measured | null;
  best: Measured | null;
  bestOnTest: Measured | null;
  cycles: CycleSummary[];
  ledger: Pick<LedgerView, 'rollouts' | 'tokens' | 'proposer' | 'seconds'>;
  /** sha256 of the state without times, offsets or anything of the transport; null when the state is not at hand. */
  stateHash: string | null;
}

export interface CycleSummary {
  k: number;
  weight: { steps: number; epochs: number; rollouts: number; endReason: PhaseView['endReason'] } | null;
  harness: {
    iterations: number;
    candidates: number;
    rollouts: number;
    endReason: PhaseView['endReason'];
    /** How often an A/A search would have accepted noise. */
    noise: PhaseNoise | null;
    /** With `acceptance: confirm`: each decision with both totals and the paired statistics. */
    acceptances: AcceptanceSummary[];
  } | null;
  /** The pair at the end of the cycle. */
  test: Estimate | null;
}

export type AcceptanceSummary = Pick<
  AcceptanceDecided['data'],
  'iteration' | 'challenger' | 'incumbent' | 'paired' | 'level' | 'accepted' | 'reason'
>;

export function summarize(view: ExperimentView, stateHash: string | null = null): ExperimentSummary {
  const { base, best, bestOnTest } = provisionalResult(view);
  const { rollouts, tokens, proposer, seconds } = view.ledger;
  return {
    experimentId: view.experimentId,
    spec: view.spec,
    // Submitted and not yet taken up counts as running: it has not ended.
    status: view.status === 'submitted' ? 'running' : view.status,
    reason: view.reason,
    base: measured(base),
    best: measured(best),
    bestOnTest: measured(bestOnTest),
    cycles: cycles(view),
    ledger: { rollouts, tokens, proposer, seconds },
    stateHash,
  };
}

function measured(pair: PairResult | null): Measured | null {
  if (!pair) return null;
  const { weights, harness, chosenOn, cycle, validation, test } = pair;
  return { ...test, weights, harness, chosenOn, cycle, validation };
}

function cycles(view: ExperimentView): CycleSummary[] {
  const numbers = [...new Set(view.phases.map((phase) => phase.cycle))];
  return numbers.map((k) => {
    const phases = view.phases.filter((phase) => phase.cycle === k);
    const weight = phases.find((phase) => phase.kind === 'weight');
    const harness = phases.find((phase) => phase.kind === 'harness');
    const end = phases.at(-1)?.end;
    return {
      k,
      weight: weight
        ? {
            steps: weight.steps.length,
            epochs: weight.epochs,
            rollouts: weight.rollouts,
            endReason: weight.endReason,
          }
        : null,
      harness: harness
        ? {
            iterations: harness.iterations,
            candidates: harness.candidates,
            rollouts: harness.rollouts,
            endReason: harness.endReason,
            noise: phaseNoise(view, harness),
            acceptances: acceptances(view, harness),
          }
        : null,
      test: end ? (pairOf(view, end)?.test ?? null) : null,
    };
  });
}

function acceptances(view: ExperimentView, { phaseId }: PhaseView): AcceptanceSummary[] {
  return view.acceptances.flatMap(({ decision }) => {
    if (decision?.phaseId !== phaseId) return [];
    const { iteration, challenger, incumbent, paired, level, accepted, reason } = decision;
    return [{ iteration, challenger, incumbent, paired, level, accepted, reason }];
  });
}
