import { diagnosticsOf, outcomeCounts, rounded, scoreWithInterval, type Measurement } from './measurement.ts';
import { clip } from './text.ts';
import type { WorkspaceHarness, WorkspaceView } from './view.ts';

const MOST_CHARACTERS = 2_000;

/** score.json: who it is, and its score under each θ that it was measured under, the newest first. */
export function scoreFile({ id, folder, proposals, measurements }: WorkspaceHarness, view: WorkspaceView) {
  return {
    id,
    folder,
    incumbent: id === view.incumbent,
    proposals: proposals.map(({ cycle, iteration, index, parent, hypothesis, changes }) => ({
      cycle,
      iteration,
      index,
      parent,
      hypothesis: clip(hypothesis, MOST_CHARACTERS),
      changes: changes.slice(0, 20).map((change) => clip(change, MOST_CHARACTERS)),
    })),
    scores: measurements.map(scoreOf).reverse(),
  };
}

function scoreOf(measurement: Measurement) {
  const { weights, cycle, iteration, index, correct, measured, score, accepted } = measurement;
  const interval = scoreWithInterval(measurement);
  return {
    weights,
    score: rounded(score),
    correct,
    measured,
    low: rounded(interval?.low ?? null),
    high: rounded(interval?.high ?? null),
    cycle,
    iteration,
    index,
    accepted,
    outcomes: outcomeCounts(measurement),
    diagnostics: Object.fromEntries(
      Object.entries(diagnosticsOf(measurement)).map(([name, { mean, of }]) => [name, { mean: rounded(mean), of }]),
    ),
  };
}
