import { blobUri } from '@whale/blob-store';
import type { CandidatesRequested, HarnessRef, HarnessScored } from '@whale/contracts';
import { InputError, WhaleError } from '@whale/kernel';
import type { Proposal, ScheduleEntry, Setback, WorkspaceFacts } from './facts.ts';
import type { Measurement } from './measurement.ts';
import { folderNames } from './names.ts';

/** The experiment's n-th request for candidates, from 1; that of an iteration's attempt; or all that is known by now. */
export type WorkspacePoint = number | { iterationId: string; attempt: number } | 'now';

export interface WorkspaceHarness {
  id: string;
  /** Below `harnesses/`. */
  folder: string;
  ref: HarnessRef;
  /** Each time it was proposed, oldest first; none for h₀. */
  proposals: readonly (Proposal & { cycle: number; iteration: number })[];
  /** One for each phase in which it was measured, oldest first. */
  measurements: readonly Measurement[];
}

/** An entry of the schedule before the point, with what came of a request. */
export type HistoryEntry =
  | Exclude<ScheduleEntry, { kind: 'requested' }>
  | {
      kind: 'requested';
      data: CandidatesRequested['data'];
      setbacks: readonly Setback[];
      proposals: readonly Proposal[];
    };

/** All that a workspace shows, but for what lies in blobs and rollouts. */
export interface WorkspaceView {
  experimentId: string;
  /** The request that it was made for; null: the present. */
  request: CandidatesRequested['data'] | null;
  /** The present θ. */
  weights: string;
  /** Id of the incumbent. */
  incumbent: string;
  /** D_harness. */
  tasks: readonly string[];
  /** In the order in which they were first scored. */
  harnesses: readonly WorkspaceHarness[];
  history: readonly HistoryEntry[];
}

/**
 * Invariants, each named by a test:
 * W3 At a request there are exactly the archive entries that it names, and what earlier requests have led to: the view
 *    is the same on every machine and at every later time.
 * Throws InputError where there is no such request, and WORKSPACE_INCOMPLETE (retryable) while an entry is missing.
 */
export function viewAt(facts: WorkspaceFacts, experimentId: string, point: WorkspacePoint): WorkspaceView {
  const { tasks, seed } = facts;
  if (tasks === null || seed === null)
    throw new InputError(`${experimentId} has not started: there is nothing to see yet`);
  const end = point === 'now' ? facts.schedule.length : placeOf(facts, experimentId, point);
  const entry = facts.schedule[end];
  const request = entry?.kind === 'requested' ? entry.data : null;
  const past = facts.schedule.slice(0, end);
  const accepted = acceptedIn(facts.schedule.slice(0, end + 1));
  const own = new Set(tasks);
  const measurements = scoresAt(facts, request).map((scored): Measurement => {
    const {
      weightsVersion: weights,
      tasks,
      outcomes: _outcomes,
      tokens: _tokens,
      incumbent: _incumbent,
      ...rest
    } = scored;
    return { ...rest, weights, tasks: tasks.filter(({ taskId }) => own.has(taskId)), accepted: accepted(scored) };
  });
  return {
    experimentId,
    request,
    weights: request?.weights.version ?? measurements.at(-1)?.weights ?? 'w0',
    incumbent: request?.incumbent.id ?? presentIncumbent(facts, seed.id),
    tasks,
    harnesses: harnessesOf(facts, measurements, past),
    history: past.map((one) => historyEntry(facts, one)),
  };
}

export function requestsOf(facts: WorkspaceFacts): CandidatesRequested['data'][] {
  return facts.schedule.flatMap((entry) => (entry.kind === 'requested' ? [entry.data] : []));
}

/** Index in the schedule. */
function placeOf(facts: WorkspaceFacts, experimentId: string, point: Exclude<WorkspacePoint, 'now'>): number {
  let count = 0;
  const place = facts.schedule.findIndex((entry) => {
    if (entry.kind !== 'requested') return false;
    count++;
    if (typeof point === 'number') return count === point;
    return entry.data.iterationId === point.iterationId && entry.data.attempt === point.attempt;
  });
  if (place !== -1) return place;
  if (typeof point !== 'number') {
    const { iterationId, attempt } = point;
    throw new WhaleError('WORKSPACE_INCOMPLETE', `attempt ${attempt} of ${iterationId} is not on the log yet`, {
      retryable: true,
    });
  }
  const there = count === 0 ? 'has made no request for candidates yet' : `has requests 1 to ${count} so far`;
  throw new InputError(`there is no request ${point} for candidates: ${experimentId} ${there}`);
}

function scoresAt(facts: WorkspaceFacts, request: CandidatesRequested['data'] | null): HarnessScored['data'][] {
  if (request === null) return [...facts.scores.values()];
  return request.archive.map(({ evaluationId }) => {
    const found = facts.scores.get(evaluationId);
    if (found) return found;
    throw new WhaleError('WORKSPACE_INCOMPLETE', `the score of ${evaluationId} is not on the log yet`, {
      retryable: true,
    });
  });
}

/**
 * Whether a harness became the incumbent by its iteration: the schedule alone says so, in what the next request or the
 * end of the phase names, whatever way of acceptance there is.
 */
function acceptedIn(schedule: readonly ScheduleEntry[]): (scored: HarnessScored['data']) => boolean | null {
  return ({ harnessId, cycle, iteration }) => {
    // A phase begins with its first harness: that is not accepted by it.
    if (iteration === 0) return false;
    const before = schedule.find(
      (entry) => entry.kind === 'requested' && entry.data.cycle === cycle && entry.data.iteration === iteration,
    );
    const after = schedule.find(
      (entry) =>
        (entry.kind === 'requested' && entry.data.cycle === cycle && entry.data.iteration > iteration) ||
        (entry.kind === 'phase-ended' && entry.data.cycle === cycle && entry.data.kind === 'harness'),
    );
    if (before === undefined || after === undefined) return null;
    return incumbentOf(before) !== harnessId && incumbentOf(after) === harnessId;
  };
}

function incumbentOf(entry: ScheduleEntry): string | null {
  switch (entry.kind) {
    case 'requested':
      return entry.data.incumbent.id;
    case 'phase-started':
    case 'phase-ended':
      return entry.data.harness.id;
    case 'decided':
      return null;
    default:
      return entry satisfies never;
  }
}

/** The newest of: what a phase began with, what was accepted since. */
function presentIncumbent(facts: WorkspaceFacts, seed: string): string {
  const phase = facts.schedule.findLast((entry) => entry.kind === 'phase-started' || entry.kind === 'phase-ended');
  if (phase === undefined) return seed;
  const change = facts.incumbents.findLast(({ phaseId }) => phaseId === phase.data.phaseId);
  return phase.kind === 'phase-started' && change ? change.to : phase.data.harness.id;
}

function harnessesOf(
  facts: WorkspaceFacts,
  measurements: readonly Measurement[],
  past: readonly ScheduleEntry[],
): WorkspaceHarness[] {
  const ids = [...new Set(measurements.map(({ harnessId }) => harnessId))];
  const folders = folderNames(ids);
  const requests = new Map(
    past.flatMap((entry) => (entry.kind === 'requested' ? [[entry.data.iterationId, entry.data]] : [])),
  );
  const proposals = [...requests.values()].flatMap(({ iterationId, cycle, iteration }) =>
    (facts.proposals.get(iterationId) ?? []).map((proposal) => ({ ...proposal, cycle, iteration })),
  );
  return ids.map((id) => ({
    id,
    folder: folders.get(id) as string,
    // A harness's id is its content address, in the store's own scheme where no event says another.
    ref: facts.refs.get(id) ?? { id, uri: blobUri(id), bytes: 0 },
    proposals: proposals.filter(({ harness }) => harness.id === id),
    measurements: measurements.filter(({ harnessId }) => harnessId === id),
  }));
}

function historyEntry(facts: WorkspaceFacts, entry: ScheduleEntry): HistoryEntry {
  if (entry.kind !== 'requested') return entry;
  const { iterationId, attempt } = entry.data;
  const { setbacks, failed } = ofAttempt(facts.setbacks.get(iterationId) ?? [], attempt);
  return { ...entry, setbacks, proposals: failed ? [] : (facts.proposals.get(iterationId) ?? []) };
}

/** An attempt that failed ends with its failure; what follows the failures before it is of the attempt. */
function ofAttempt(all: readonly Setback[], attempt: number): { setbacks: readonly Setback[]; failed: boolean } {
  let from = 0;
  for (const [i, setback] of all.entries()) {
    if (setback.kind !== 'failed') continue;
    if (setback.data.attempt === attempt) return { setbacks: all.slice(from, i + 1), failed: true };
    if (setback.data.attempt < attempt) from = i + 1;
  }
  return { setbacks: all.slice(from), failed: false };
}
