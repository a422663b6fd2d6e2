import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluationKey } from './state.ts';
import { ofType, scriptedRun } from './support/scripted-run.ts';
import { started } from './support/scripted-world.ts';
import { confirm, strategies, troubled } from './support/strategies.ts';

test('S3: what would exceed the rollout budget is not begun, and the ledger says what was', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(strategies)),
      fc.integer({ min: 1, max: 300 }),
      fc.constantFrom('phase' as const, 'cycle' as const),
      fc.constantFrom({}, confirm),
      (strategy, rollouts, after, acceptance) => {
        const start = started({
          strategy,
          ...acceptance,
          budget: { rollouts },
          evaluation: { rolloutsPerTask: 1, validationRolloutsPerTask: 1, after },
        });
        const run = scriptedRun(start, { world: troubled });
        const first = ofType(run.decided, 'whale.rollout.requested.v1').filter(({ data }) => data.attempt === 1);
        const spent = first.filter(({ data }) => data.group.purpose !== 'evaluation').length;
        expect(spent).toBeLessThanOrEqual(rollouts);

        const [end] = ofType(run.decided, 'whale.experiment.ended.v1');
        if (end?.data.status === 'failed') return;
        const { weight, harness, evaluation } = end?.data.ledger.rollouts ?? {};
        expect((weight ?? 0) + (harness ?? 0)).toBe(spent);
        expect(evaluation).toBe(first.length - spent);
        // Wherever the budget ends, the last pair is measured: it may be the best.
        const { weights, harness: last, evaluations } = run.scheduler;
        expect(evaluations[evaluationKey(weights?.version ?? '', last?.id ?? '', 'test')]).toBeDefined();
      },
    ),
    { numRuns: 40 },
  );
});

test('a budget that pays for a part of a step makes a smaller step', () => {
  const run = scriptedRun(started({ strategy: strategies['weight-only'], budget: { rollouts: 20 } }));
  expect(ofType(run.decided, 'whale.weight-step.opened.v1').map(({ data }) => data.taskIds.length)).toEqual([4, 2]);
  expect(ofType(run.decided, 'whale.phase.ended.v1')[0]?.data).toMatchObject({
    reason: 'rollout-budget',
    signal: { remaining: 2 },
  });
  expect(ofType(run.decided, 'whale.experiment.ended.v1')[0]?.data.reason).toBe('rollout budget spent');
});

test('a budget that pays for no harness phase still closes the cycle and measures the pair', () => {
  const run = scriptedRun(
    started({
      strategy: strategies.fixed,
      budget: { rollouts: 40 },
      evaluation: { rolloutsPerTask: 1, validationRolloutsPerTask: 1, after: 'cycle' },
    }),
  );
  expect(ofType(run.decided, 'whale.phase.ended.v1').map(({ data }) => data.kind)).toEqual(['weight']);
  expect(ofType(run.decided, 'whale.cycle.ended.v1').map(({ data }) => data.cycle)).toEqual([1]);
  const [end] = ofType(run.decided, 'whale.experiment.ended.v1');
  expect(end?.data).toMatchObject({ status: 'completed', reason: 'rollout budget spent' });
  expect(run.scheduler.pairs.map((pair) => pair.weights)).toEqual(['w0', run.scheduler.weights?.version]);
});
