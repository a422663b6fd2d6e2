import type { AcceptanceDecided } from '@whale/contracts';
import type { Proposal, RejectedCandidate } from './facts.ts';
import { compare, diagnosticsOf, rounded, type Measurement } from './measurement.ts';
import { clip } from './text.ts';
import type { HistoryEntry, WorkspaceView } from './view.ts';

const MOST_HYPOTHESIS = 2_000;
const MOST_MESSAGE = 1_000;
const MOST_CHANGES = 20;
const MOST_CHANGE = 300;
/** Task ids named in one line of history. */
const MOST_TASKS = 25;

type Requested = Extract<HistoryEntry, { kind: 'requested' }>;

/** A line of history.jsonl. */
export type HistoryLine = { kind: string } & Readonly<Record<string, unknown>>;

/** What was tried, what was expected of it, and what came of it; oldest first. */
export function historyLines(view: WorkspaceView): HistoryLine[] {
  const known = new Archive(view);
  return view.history.flatMap((entry): HistoryLine[] => {
    switch (entry.kind) {
      case 'phase-started':
        return phaseStarted(entry.data, known);
      case 'phase-ended': {
        const { kind: phase, cycle, reason, count, weights, harness } = entry.data;
        const pair = { weights: weights.version, harness: known.folder(harness.id) };
        return [
          { kind: 'phase-ended', cycle, phase, reason, [phase === 'weight' ? 'steps' : 'iterations']: count, ...pair },
        ];
      }
      case 'requested':
        return iteration(entry, known);
      case 'decided':
        return [decided(entry.data, known)];
      default:
        return entry satisfies never;
    }
  });
}

/** Where the source of a rejected candidate lies; null for one that is not shown. */
export function rejectedPath({ cycle, iteration }: Requested['data'], rejected: RejectedCandidate): string | null {
  // Its text holds what a proposer must not be told.
  if (rejected.stage === 'leak') return null;
  return `rejected/c${cycle}-i${iteration}-n${rejected.number}.ts`;
}

function phaseStarted(
  { kind: phase, cycle, weights, harness, phaseId }: Extract<HistoryEntry, { kind: 'phase-started' }>['data'],
  known: Archive,
): HistoryLine[] {
  const begun = { kind: 'phase-started', cycle, phase, weights: weights.version, harness: known.folder(harness.id) };
  const first = known.find((one) => one.phaseId === phaseId && one.iteration === 0);
  return first ? [begun, { kind: 'scored', cycle, iteration: 0, ...known.scoreOf(first) }] : [begun];
}

function iteration(entry: Requested, known: Archive): HistoryLine[] {
  const { cycle, iteration, attempt, weights, incumbent, count } = entry.data;
  const place = { cycle, iteration };
  return [
    {
      kind: 'iteration',
      ...place,
      attempt,
      weights: weights.version,
      incumbent: known.folder(incumbent.id),
      wanted: count,
      valid: entry.proposals.length,
    },
    ...entry.setbacks.map((setback) =>
      setback.kind === 'rejected'
        ? rejected(entry.data, setback.data, known)
        : {
            kind: 'failed',
            ...place,
            attempt,
            code: setback.data.error.code,
            message: clip(setback.data.error.message, MOST_MESSAGE),
          },
    ),
    ...entry.proposals.map((proposal) => candidate(entry, proposal, known)),
  ];
}

function rejected(request: Requested['data'], data: RejectedCandidate, known: Archive): HistoryLine {
  const { number, parent, stage, line } = data;
  const place = {
    kind: 'rejected',
    cycle: request.cycle,
    iteration: request.iteration,
    number,
    parent: known.folder(parent),
  };
  const source = rejectedPath(request, data);
  if (source === null) return { ...place, stage, message: 'it held text that no harness may hold' };
  const message = clip(data.message, MOST_MESSAGE);
  return { ...place, hypothesis: clip(data.hypothesis, MOST_HYPOTHESIS), stage, message, line, source };
}

function candidate({ data: request }: Requested, proposal: Proposal, known: Archive): HistoryLine {
  const { cycle, iteration } = request;
  const { index, of, harness, parent, hypothesis, changes } = proposal;
  const place = { cycle, iteration, index };
  const measurement = known.find(
    (one) => one.harnessId === harness.id && one.cycle === cycle && one.iteration === iteration && one.index === index,
  );
  return {
    kind: 'candidate',
    ...place,
    of,
    harness: known.folder(harness.id),
    parent: known.folder(parent),
    hypothesis: clip(hypothesis, MOST_HYPOTHESIS),
    changes: changes.slice(0, MOST_CHANGES).map((change) => clip(change, MOST_CHANGE)),
    ...(measurement ? result(measurement, { parent, incumbent: request.incumbent.id }, known) : { score: null }),
  };
}

/** What the hypothesis can be held against. */
function result(
  measurement: Measurement,
  { parent, incumbent }: { parent: string; incumbent: string },
  known: Archive,
) {
  const underSameWeights = (id: string) =>
    known.find((one) => one.harnessId === id && one.weights === measurement.weights && one !== measurement);
  const before = underSameWeights(parent);
  const incumbentScore = underSameWeights(incumbent)?.score ?? null;
  const { accepted } = measurement;
  return {
    ...known.scoreOf(measurement),
    accepted,
    why: why(measurement, incumbentScore, known),
    incumbent: { harness: known.folder(incumbent), score: rounded(incumbentScore) },
    againstParent: before ? difference(before, measurement) : null,
  };
}

function why(measurement: Measurement, incumbentScore: number | null, known: Archive): string {
  const { accepted, score } = measurement;
  if (accepted === null) return 'not decided yet';
  if (accepted) return 'the best of the archive: it became the incumbent';
  if (score === null) return 'nothing could be measured';
  if (incumbentScore !== null && score < incumbentScore) return 'below the incumbent';
  if (score === incumbentScore) return 'a tie keeps the incumbent';
  return known.isUnconfirmed(measurement)
    ? 'fresh rollouts did not confirm that it is better than the incumbent'
    : 'above the incumbent, but not the best of the archive';
}

/** Against the parent under the same θ. */
function difference(parent: Measurement, measurement: Measurement) {
  const { gained, lost, tasks } = compare(parent, measurement);
  const [before, after] = [diagnosticsOf(parent), diagnosticsOf(measurement)];
  return {
    score: [rounded(parent.score), rounded(measurement.score)],
    diagnostics: Object.fromEntries(
      Object.keys({ ...before, ...after }).map((name) => [
        name,
        [rounded(before[name]?.mean ?? null), rounded(after[name]?.mean ?? null)],
      ]),
    ),
    tasks,
    gained: gained.length,
    lost: lost.length,
    gainedTasks: gained.slice(0, MOST_TASKS),
    lostTasks: lost.slice(0, MOST_TASKS),
  };
}

function decided(data: AcceptanceDecided['data'], known: Archive): HistoryLine {
  const { cycle, iteration, weightsVersion, challenger, incumbent, paired, accepted, reason } = data;
  const side = ({ harnessId, search, fresh }: typeof challenger) => ({
    harness: known.folder(harnessId),
    search: { score: rounded(search.score), measured: search.measured },
    fresh: { score: rounded(fresh.score), measured: fresh.measured },
  });
  const { mean, low, high, p, tasks } = paired;
  return {
    kind: 'confirmed',
    cycle,
    iteration,
    weights: weightsVersion,
    challenger: side(challenger),
    incumbent: side(incumbent),
    paired: { tasks, mean: rounded(mean), low: rounded(low), high: rounded(high), p: rounded(p) },
    accepted,
    reason,
  };
}

class Archive {
  readonly #folders: ReadonlyMap<string, string>;
  readonly #measurements: readonly Measurement[];
  readonly #unconfirmed: ReadonlySet<string>;

  constructor({ harnesses, history }: WorkspaceView) {
    this.#folders = new Map(harnesses.map(({ id, folder }) => [id, folder]));
    this.#measurements = harnesses.flatMap(({ measurements }) => measurements);
    this.#unconfirmed = new Set(
      history.flatMap((entry) =>
        entry.kind === 'decided' && !entry.data.accepted ? [entry.data.challenger.evaluationId] : [],
      ),
    );
  }

  isUnconfirmed({ evaluationId }: Measurement): boolean {
    return this.#unconfirmed.has(evaluationId);
  }

  /** The folder of a harness, or the beginning of the id of one that is not in the workspace. */
  folder(id: string): string {
    return this.#folders.get(id) ?? `${id.slice(0, 12)} (not here)`;
  }

  find(test: (measurement: Measurement) => boolean): Measurement | undefined {
    return this.#measurements.find(test);
  }

  scoreOf({ harnessId, weights, score, correct, measured }: Measurement) {
    return { harness: this.folder(harnessId), weights, score: rounded(score), correct, measured };
  }
}
