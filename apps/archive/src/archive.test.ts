import type { HarnessScored, IncumbentChanged } from '@whale/contracts';
import { canonicalHash } from '@whale/kernel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ArchiveOutput } from './events.ts';
import { feed, harnessIdOf, opened, right, verdicts, type Candidate } from './support/search.ts';

const h0: Candidate = { iteration: 0, index: 0, of: 1, outcomes: right(2) };
const scoresOf = (decided: readonly ArchiveOutput[]) =>
  decided.filter((event): event is HarnessScored => event.type === 'whale.harness.scored.v1').map(({ data }) => data);
const changesOf = (decided: readonly ArchiveOutput[]) =>
  decided
    .filter((event): event is IncumbentChanged => event.type === 'whale.incumbent.changed.v1')
    .map(({ data }) => data);
const whole = (...candidates: Candidate[]) => candidates.flatMap((one) => [opened(one), ...verdicts(one)]);

test('A1: a score belongs to a pair and covers each task of D_harness once', () => {
  const { decided } = feed(whole(h0));
  expect(scoresOf(decided)).toMatchObject([
    {
      harnessId: harnessIdOf(h0),
      weightsVersion: 'w1',
      score: 0.5,
      correct: 2,
      measured: 4,
      tokens: { prompt: 40, sampled: 12 },
      tasks: [
        { taskId: 't0', outcome: 'correct' },
        { taskId: 't1', outcome: 'correct' },
        { taskId: 't2', outcome: 'incorrect' },
        { taskId: 't3', outcome: 'incorrect' },
      ],
    },
  ]);
});

test('A1: nothing is scored before the last task is judged', () => {
  const inputs = whole(h0);
  expect(feed(inputs.slice(0, -1)).decided).toEqual([]);
  expect(feed([...inputs.slice(0, -1), inputs[1] as never]).decided).toEqual([]);
});

test('infrastructure and verifier errors are not part of the score, and all of them give no score', () => {
  const some: Candidate = { ...h0, outcomes: ['correct', 'infrastructure_error', 'verifier_error', 'incorrect'] };
  expect(scoresOf(feed(whole(some)).decided)[0]).toMatchObject({
    score: 0.5,
    measured: 2,
    outcomes: { correct: 1, incorrect: 1, infrastructure_error: 1, verifier_error: 1, truncated: 0, harness_error: 0 },
  });
  const none: Candidate = { ...h0, outcomes: Array.from({ length: 4 }, () => 'infrastructure_error' as const) };
  expect(scoresOf(feed(whole(none)).decided)[0]).toMatchObject({ score: null, measured: 0, correct: 0 });
});

test('a failure with attempts left is no outcome', () => {
  const [first, ...rest] = verdicts({ ...h0, outcomes: ['infrastructure_error', 'correct', 'correct', 'correct'] });
  if (first?.type !== 'whale.rollout.failed.v1') throw new Error('not a failure');
  const open = { ...first, data: { ...first.data, final: false } };
  expect(feed([opened(h0), open, ...rest]).decided).toEqual([]);
});

describe('the incumbent', () => {
  const candidate = (index: number, correct: number, iteration = 1): Candidate => ({
    iteration,
    index,
    of: 3,
    outcomes: right(correct),
  });

  test('is the arg max of the phase, and each change is told', () => {
    const { decided } = feed(whole(h0, candidate(0, 1), candidate(1, 4), candidate(2, 3)));
    expect(scoresOf(decided).map((score) => score.incumbent)).toEqual(
      [h0, h0, candidate(1, 4), candidate(1, 4)].map(harnessIdOf),
    );
    expect(changesOf(decided)).toMatchObject([
      { from: harnessIdOf(h0), to: harnessIdOf(candidate(1, 4)), scores: { from: 0.5, to: 1 } },
    ]);
  });

  test('stays in a tie', () => {
    const { decided } = feed(whole(h0, candidate(0, 2), candidate(1, 3), candidate(2, 3)));
    expect(scoresOf(decided).at(-1)?.incumbent).toBe(harnessIdOf(candidate(1, 3)));
    expect(changesOf(decided)).toHaveLength(1);
  });

  test('is not unseated by a candidate that could not be measured', () => {
    const lost: Candidate = {
      ...candidate(0, 0),
      outcomes: Array.from({ length: 4 }, () => 'verifier_error' as const),
    };
    expect(scoresOf(feed(whole(h0, lost)).decided).at(-1)).toMatchObject({ score: null, incumbent: harnessIdOf(h0) });
  });

  test('of the next phase begins anew with h_k under its new weights', () => {
    const next: Candidate = { ...h0, phase: 'phase-2', outcomes: right(1) };
    const { decided } = feed(whole(h0, candidate(0, 4), candidate(1, 0), candidate(2, 0), next));
    expect(scoresOf(decided).at(-1)).toMatchObject({ phaseId: 'phase-2', score: 0.25, incumbent: harnessIdOf(next) });
  });
});

test('A2: the order of verdicts, also before the evaluation opens, and duplicates change nothing', () => {
  const candidates: Candidate[] = [
    h0,
    { iteration: 1, index: 0, of: 3, outcomes: right(3) },
    { iteration: 1, index: 1, of: 3, outcomes: right(3) },
    { iteration: 1, index: 2, of: 3, outcomes: right(1) },
    // A3: iteration 2 had no valid candidate.
    { iteration: 3, index: 0, of: 1, outcomes: right(4) },
    { ...h0, phase: 'phase-2', outcomes: right(4) },
    { iteration: 1, index: 0, of: 1, phase: 'phase-2', name: 'again', outcomes: right(4) },
  ];
  const inOrder = feed(whole(...candidates));
  expect(scoresOf(inOrder.decided)).toHaveLength(candidates.length);
  const openings = candidates.map(opened);
  const judged = candidates.flatMap(verdicts);

  fc.assert(
    fc.property(
      fc.shuffledSubarray([...judged, ...judged.slice(0, 9)], { minLength: judged.length + 9 }),
      fc.array(fc.nat(judged.length), { minLength: openings.length, maxLength: openings.length }),
      (shuffled, places) => {
        // Evaluations open in their own order, anywhere between the verdicts.
        const inputs = [...shuffled] as Parameters<typeof feed>[0][number][];
        const sorted = [...places].sort((a, b) => a - b);
        openings.forEach((opening, i) => inputs.splice((sorted[i] as number) + i, 0, opening));
        const { state, decided } = feed([...inputs, ...openings, ...judged]);
        expect(decided).toEqual(inOrder.decided);
        expect(canonicalHash(state)).toBe(canonicalHash(inOrder.state));
      },
    ),
    { numRuns: 40 },
  );
});

test('A3: an iteration without valid candidates holds nothing up', () => {
  const later: Candidate = { iteration: 4, index: 0, of: 1, outcomes: right(4) };
  expect(scoresOf(feed(whole(h0, later)).decided).map((score) => score.iteration)).toEqual([0, 4]);
});

test('verdicts on weight steps and evaluations are none of its business', () => {
  const [verdict] = verdicts(h0);
  const foreign = { ...verdict, data: { ...verdict?.data, group: { id: 'step-1', purpose: 'weight' } } } as never;
  expect(feed([foreign]).state).toEqual(feed([]).state);
});
