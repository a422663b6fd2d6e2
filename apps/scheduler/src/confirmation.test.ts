import type { AcceptanceDecided, Outcome, RolloutRequested, SpecInput } from '@whale/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contestAfter } from './confirmation.ts';
import { ofType, scriptedRun, type ScriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';
import { confirm, contested, strategies } from './support/strategies.ts';

type Request = RolloutRequested['data'];
const isFresh = ({ seed }: Request) => seed.includes('/confirmation/');

/** Candidates look better than h₀ in the search; `fresh` says how the fresh rollouts go. */
function winnersThat(fresh: (request: Request, isChallenger: boolean) => Outcome) {
  return (request: Request): Outcome | undefined => {
    if (request.group.purpose !== 'harness') return undefined;
    const isH0 = request.harness.id === start.data.harness.id;
    if (isFresh(request)) return fresh(request, !isH0);
    return isH0 === (request.taskId === 'harness-0') ? 'correct' : 'incorrect';
  };
}

const start = started({ strategy: strategies['harness-only'], ...confirm });
const decisions = (run: ScriptedRun) => ofType(run.decided, 'whale.acceptance.decided.v1').map(({ data }) => data);
const openings = (run: ScriptedRun) => ofType(run.decided, 'whale.confirmation.opened.v1').map(({ data }) => data);
const ends = (run: ScriptedRun) => ofType(run.decided, 'whale.phase.ended.v1').map(({ data }) => data);
const refusals = winnersThat((_, isChallenger) => (isChallenger ? 'incorrect' : 'correct'));

function confirming(rule: NonNullable<NonNullable<SpecInput['harness']>['confirm']>, iterations = 1) {
  return started({
    strategy: { kind: 'harness-only', harness: { iterations } },
    harness: { candidates: 3, acceptance: 'confirm', confirm: { level: 0.5, ...rule } },
  });
}

test('S5: the incumbent changes by a decision and by nothing else; scheduler, archive and patience know the same one', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 8 }), fc.constantFrom('fixed', 'adaptive'), (seed, kind) => {
      const run = scriptedRun(started({ strategy: strategies[kind as 'fixed'], ...confirm }), {
        world: contested(seed),
        order: seed,
      });
      const accepted = decisions(run).filter((decision) => decision.accepted);
      for (const phase of ends(run).filter(({ kind }) => kind === 'harness')) {
        const mine = accepted.filter(({ phaseId }) => phaseId === phase.phaseId);
        const entries = run.archive.entries.filter(({ phaseId }) => phaseId === phase.phaseId);
        expect(run.archive.incumbents[phase.phaseId]).toEqual({
          harnessId: phase.harness.id,
          score: phase.signal['bestScore'],
        });
        expect(phase.harness.id).toBe(mine.at(-1)?.challenger.harnessId ?? entries[0]?.harnessId);
        // An entry names whoever had been accepted before its iteration.
        for (const entry of entries) {
          const before = mine.filter(({ iteration }) => iteration < entry.iteration).at(-1);
          expect(entry.incumbent).toBe(before?.challenger.harnessId ?? entries[0]?.harnessId);
        }
      }
      for (const { challenger, incumbent, paired, accepted } of decisions(run)) {
        expect(challenger.search.score).toBeGreaterThan(incumbent.search.score as number);
        expect(accepted).toBe((paired.mean ?? 0) > 0);
      }
      expect(run.archive.confirmation?.accepted).toEqual([]);
      expect(run.archive.facts).toEqual({});
    }),
    { numRuns: 8 },
  );
});

describe('an apparent winner', () => {
  test('is measured again beside the incumbent, on fresh rollouts of all tasks that the ledger counts', () => {
    const run = scriptedRun(confirming({ rolloutsPerTask: 3 }), { world: { outcome: refusals } });
    const [opened] = openings(run);
    const harness = ofType(run.decided, 'whale.rollout.requested.v1').filter(
      ({ data }) => data.group.purpose === 'harness',
    );
    const fresh = harness.filter(({ data }) => isFresh(data));
    expect(fresh).toHaveLength(2 * 5 * 3);
    expect(new Set(fresh.map(({ data }) => data.group.id))).toEqual(
      new Set([opened?.challenger.groupId, opened?.incumbent.groupId]),
    );
    expect(new Set(harness.map(({ data }) => data.seed)).size).toBe(harness.length);
    expect(run.scheduler.ledger.rollouts.harness).toBe(harness.length);
    expect(ends(run)[0]?.rollouts).toBe(harness.length);
  });

  test('that is better on fresh rollouts is accepted, and both totals of both are kept', () => {
    const world = {
      outcome: winnersThat(({ taskId }, challenger) => (challenger || taskId < 'harness-2' ? 'correct' : 'truncated')),
    };
    const run = scriptedRun(confirming({ rolloutsPerTask: 2 }), { world });
    expect(decisions(run)).toMatchObject([
      {
        iteration: 1,
        accepted: true,
        reason: 'better',
        level: 0.5,
        challenger: { search: { score: 0.8, correct: 4, measured: 5 }, fresh: { score: 1, correct: 10, measured: 10 } },
        incumbent: {
          harnessId: start.data.harness.id,
          search: { score: 0.2, correct: 1, measured: 5 },
          fresh: { score: 0.4, correct: 4, measured: 10, outcomes: { correct: 4, truncated: 6 } },
        },
        paired: { tasks: 5, better: 3, worse: 0, equal: 2, mean: 0.6, p: 1 / 8 },
      },
    ]);
    expect(run.scheduler.harness?.id).toBe(decisions(run)[0]?.challenger.harnessId);
    expect(ends(run)[0]?.signal['bestScore']).toBe(0.8);
  });

  test('the first of those with the highest search score is it', () => {
    const run = scriptedRun(start, { world: { outcome: refusals, candidates: () => 3 } });
    const [first] = decisions(run);
    const entries = run.archive.entries.filter(({ iteration }) => iteration === 1);
    expect(first?.challenger.harnessId).toBe(entries[0]?.harnessId);
  });

  test.each<
    [string, SpecInput['harness'], (challenger: boolean, task: string) => Outcome, Partial<AcceptanceDecided['data']>]
  >([
    [
      'a challenger that is worse',
      {},
      (challenger) => (challenger ? 'harness_error' : 'correct'),
      { reason: 'not-better' },
    ],
    ['a tie', {}, () => 'correct', { reason: 'not-better' }],
    [
      'a difference that may be chance',
      { confirm: { rolloutsPerTask: 1, level: 0.05 } },
      (challenger, task) => (challenger && task < 'harness-4' ? 'correct' : 'incorrect'),
      { reason: 'not-significant', level: 0.05 },
    ],
    ['fresh rollouts that all fail', {}, () => 'infrastructure_error', { reason: 'unmeasured' }],
    ['fresh rollouts that nobody can judge', {}, () => 'verifier_error', { reason: 'unmeasured' }],
    [
      'no task that was measured on both sides',
      {},
      (challenger, task) => (challenger === task < 'harness-2' ? 'correct' : 'infrastructure_error'),
      { reason: 'unmeasured' },
    ],
  ])('is not accepted for %s', (_, harness, outcome, expected) => {
    const one = started({
      strategy: { kind: 'harness-only', harness: { iterations: 1 } },
      harness: { ...confirm.harness, ...harness },
    });
    const run = scriptedRun(one, {
      world: { outcome: winnersThat(({ taskId }, challenger) => outcome(challenger, taskId)) },
    });
    expect(decisions(run)).toMatchObject([{ accepted: false, ...expected }]);
    expect(ends(run)).toMatchObject([{ reason: 'fixed', harness: start.data.harness }]);
    expect(ofType(run.decided, 'whale.experiment.ended.v1')[0]?.data.status).toBe('completed');
  });

  test('is judged on the tasks that are left when some rollouts fail for good, and the lost ones are told', () => {
    const run = scriptedRun(confirming({ rolloutsPerTask: 1 }), {
      world: {
        outcome: winnersThat(({ taskId }, challenger) =>
          taskId === 'harness-3' ? 'infrastructure_error' : challenger ? 'correct' : 'incorrect',
        ),
      },
    });
    expect(decisions(run)).toMatchObject([
      {
        accepted: true,
        paired: { tasks: 4, better: 4 },
        challenger: { fresh: { outcomes: { infrastructure_error: 1 } } },
      },
    ]);
    const attempts = ofType(run.decided, 'whale.rollout.requested.v1').filter(
      ({ data }) => isFresh(data) && data.taskId === 'harness-3',
    );
    expect(attempts).toHaveLength(2 * 3);
  });

  test('that was refused is not tried again in its phase; the next best has its turn', () => {
    const candidates = ({ iteration }: { iteration: number }) => (iteration === 1 ? 3 : 0);
    const run = scriptedRun(start, { world: { outcome: refusals, candidates } });
    // One confirmation an iteration, also after those that brought no candidate, until nobody is left.
    const [, ...first] = run.archive.entries.map(({ harnessId }) => harnessId);
    expect(decisions(run).map(({ iteration, challenger }) => [iteration, challenger.harnessId])).toEqual(
      first.map((harnessId, i) => [i + 1, harnessId]),
    );
    expect(ends(run)[0]).toMatchObject({ count: 4, candidates: 3, signal: { waitedIterations: 4 } });
  });
});

test('a harness that was refused, or is the incumbent, is no rival when it is proposed and scored again', () => {
  const entry = (harnessId: string, score: number) => ({
    evaluationId: `${harnessId}/${score}`,
    harnessId,
    score,
    correct: 10 * score,
    measured: 10,
  });
  const contest = { incumbent: entry('held', 0.5), rivals: [entry('waiting', 0.6)], refused: ['lucky'] };
  const scores = [entry('lucky', 1), entry('held', 0.9), entry('equal', 0.5), entry('new', 0.7)] as never;
  expect(contestAfter(contest, scores).rivals.map(({ harnessId }) => harnessId)).toEqual(['waiting', 'new']);
});

test('a refused winner is no new best: patience waits', () => {
  const run = scriptedRun(
    started({
      strategy: {
        kind: 'adaptive',
        cycles: 1,
        weight: { window: 0.2, minimum: 0.2, patience: 0.2, maximum: 0.2 },
        harness: { minimum: 1, patience: 2, maximum: 9 },
      },
      ...confirm,
    }),
    { world: { outcome: refusals } },
  );
  expect(ends(run)[1]).toMatchObject({ reason: 'patience', count: 2, signal: { bestScore: 0.2, waitedIterations: 2 } });
  expect(decisions(run)).toHaveLength(2);
});

test.each([
  // h₀ 5, an iteration 15, its confirmation 10.
  [29, 0, 0],
  [30, 1, 1],
  [44, 1, 1],
  [54, 1, 1],
  [55, 2, 2],
])(
  'S3: with a budget of %d rollouts %d iterations are begun, each with its confirmation',
  (rollouts, iterations, confirmations) => {
    const budgeted = started({ strategy: strategies['harness-only'], ...confirm, budget: { rollouts } });
    const run = scriptedRun(budgeted, { world: { outcome: refusals, candidates: () => 3 } });
    expect(ofType(run.decided, 'whale.harness-iteration.opened.v1')).toHaveLength(iterations);
    expect(decisions(run)).toHaveLength(confirmations);
    expect(ofType(run.decided, 'whale.experiment.ended.v1')[0]?.data.reason).toBe('rollout budget spent');
    if (iterations > 0) expect(ends(run)[0]).toMatchObject({ reason: 'rollout-budget', harness: start.data.harness });
  },
);

test('the arg max is accepted as it is where nobody asks for a confirmation', () => {
  const run = scriptedRun(started({ strategy: strategies['harness-only'] }), { world: { outcome: refusals } });
  expect(openings(run)).toEqual([]);
  expect(run.scheduler.harness?.id).not.toBe(start.data.harness.id);
});
