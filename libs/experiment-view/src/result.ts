import type { PairResult } from '@whale/contracts';
import type { ExperimentView, PairId, PairView } from './view.ts';

export type Result = NonNullable<ExperimentView['result']>;

/**
 * The result as it would stand if the experiment ended now, by the rule of the scheduler: best on validation where
 * there is one, the last pair otherwise; best on test beside it. Once ended, what ExperimentEnded says.
 */
export function provisionalResult(view: ExperimentView): Result {
  if (view.result) return view.result;
  const pairs = view.pairs.flatMap((pair) => toResult(pair) ?? []);
  const validated = (view.splits?.validation ?? 0) > 0;
  const base = pairs[0] ?? null;
  const best = validated ? top(pairs, (pair) => pair.validation?.mean ?? -1) : (pairs.at(-1) ?? null);
  const bestOnTest = top(pairs, (pair) => pair.test.mean);
  return {
    base: base && { ...base, chosenOn: 'base' },
    best: best && { ...best, chosenOn: validated ? 'validation' : 'last' },
    bestOnTest,
  };
}

export function pairOf(view: ExperimentView, id: PairId): PairView | undefined {
  return view.pairs.find((pair) => pair.weights === id.weights && pair.harness === id.harness);
}

/** Harness id of the incumbent of the last harness phase; null before its first score. */
export function incumbentOf(view: ExperimentView): string | null {
  const last = view.archive.filter((entry) => entry.scored).at(-1);
  const confirmed = view.acceptances.filter(({ decision }) => decision?.accepted).at(-1);
  if (!confirmed || !last) return last?.incumbent ?? null;
  const since = confirmed.cycle - last.cycle || confirmed.iteration - last.iteration;
  return since >= 0 ? confirmed.challenger : last.incumbent;
}

function toResult({ weights, harness, cycle, test, validation }: PairView): PairResult | null {
  return test && { weights, harness, cycle, test, validation, chosenOn: 'test' };
}

/** The first of the highest. */
function top(pairs: readonly PairResult[], score: (pair: PairResult) => number): PairResult | null {
  return pairs.reduce<PairResult | null>(
    (best, pair) => (best === null || score(pair) > score(best) ? pair : best),
    null,
  );
}
