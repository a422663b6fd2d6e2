import type { ExperimentEnded, PairResult, PhaseEnded } from '@whale/contracts';
import { evaluationKey, running, type EvaluatedPair, type PhaseProgress, type SchedulerState } from '../state.ts';

export function phaseEnded(
  state: SchedulerState,
  reason: PhaseEnded['data']['reason'],
  signal: Record<string, number>,
): PhaseEnded {
  const { started, weights, harness } = running(state);
  const phase = state.phase as PhaseProgress;
  const prompts = phase.kind === 'weight' ? state.position - phase.from : 0;
  return {
    type: 'whale.phase.ended.v1',
    data: {
      experimentId: started.experimentId,
      phaseId: phase.phaseId,
      cycle: phase.cycle,
      kind: phase.kind,
      reason,
      signal,
      weights,
      harness,
      count: phase.count,
      candidates: phase.candidates,
      rollouts: phase.rollouts,
      epochs: prompts / started.splits.weight.length,
    },
  };
}

/** The result: the pair that is best on validation, beside it the best on test, labelled as such (DESIGN §5). */
export function experimentEnded(
  state: SchedulerState,
  status: ExperimentEnded['data']['status'],
  reason: string,
): ExperimentEnded {
  const { started } = running(state);
  const pairs = state.pairs.flatMap((pair) => pairResult(state, pair) ?? []);
  const base = pairs[0] ?? null;
  const validated = started.splits.validation.length > 0;
  const best = validated ? top(pairs, (pair) => pair.validation?.mean ?? -1) : (pairs.at(-1) ?? null);
  const bestOnTest = top(pairs, (pair) => pair.test.mean);
  return {
    type: 'whale.experiment.ended.v1',
    data: {
      experimentId: started.experimentId,
      status,
      reason,
      base: base && { ...base, chosenOn: 'base' },
      best: best && { ...best, chosenOn: validated ? 'validation' : 'last' },
      bestOnTest: bestOnTest && { ...bestOnTest, chosenOn: 'test' },
      ledger: state.ledger,
    },
  };
}

function pairResult(state: SchedulerState, pair: EvaluatedPair): PairResult | null {
  const test = state.evaluations[evaluationKey(pair.weights, pair.harness, 'test')];
  if (!test) return null;
  const validation = state.evaluations[evaluationKey(pair.weights, pair.harness, 'validation')];
  return { ...pair, test: test.estimate, validation: validation?.estimate ?? null, chosenOn: 'test' };
}

/** The first of the highest: a later pair must be strictly better. */
function top(pairs: readonly PairResult[], score: (pair: PairResult) => number): PairResult | null {
  return pairs.reduce<PairResult | null>(
    (best, pair) => (best === null || score(pair) > score(best) ? pair : best),
    null,
  );
}
