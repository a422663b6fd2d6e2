import { parseSpec, type SpecInput } from '@whale/contracts';
import { expect, test } from 'vitest';
import { harnessBounds, phaseAt, weightBounds } from './phase-plan.ts';

const spec = (strategy: SpecInput['strategy']) =>
  parseSpec({ name: 'x', domain: { name: 'd', dataset: 's' }, weight: { promptsPerStep: 10 }, strategy }, 'x.yaml');
const fixed = spec({ kind: 'fixed', cycles: 2, weight: { epochs: 0.6 }, harness: { iterations: 6 } });
const adaptive = spec({ kind: 'adaptive', cycles: 3, weight: {}, harness: {} });
const weightOnly = spec({ kind: 'weight-only', weight: { epochs: 2 } });
const harnessOnly = spec({ kind: 'harness-only', harness: { iterations: 9 } });

test('a cycle is a weight phase, then a harness phase', () => {
  expect([0, 1, 2, 3, 4].map((i) => phaseAt(fixed, i))).toEqual([
    { cycle: 1, kind: 'weight' },
    { cycle: 1, kind: 'harness' },
    { cycle: 2, kind: 'weight' },
    { cycle: 2, kind: 'harness' },
    undefined,
  ]);
  expect(phaseAt(adaptive, 5)).toEqual({ cycle: 3, kind: 'harness' });
  expect([0, 1].map((i) => phaseAt(weightOnly, i)?.kind)).toEqual(['weight', undefined]);
  expect([0, 1].map((i) => phaseAt(harnessOnly, i)?.kind)).toEqual(['harness', undefined]);
});

test('a fixed phase has a maximum and no patience', () => {
  expect(weightBounds(fixed, 200)).toEqual({ maximum: 120, patience: null });
  expect(harnessBounds(fixed)).toEqual({ maximum: 6, patience: null });
  expect(weightBounds(weightOnly, 50)).toEqual({ maximum: 100, patience: null });
  expect(harnessBounds(harnessOnly)).toEqual({ maximum: 9, patience: null });
});

test('the paper’s patience: W = T_min = P_w = 0.2 epoch, (J_min, P_h) = (6, 2)', () => {
  expect(weightBounds(adaptive, 200).patience).toEqual({ window: 4, minimum: 4, patience: 4 });
  expect(harnessBounds(adaptive).patience).toEqual({ minimum: 6, patience: 2, window: 1 });
});

test('a share of less than a step is one step', () => {
  expect(weightBounds(adaptive, 10).patience).toEqual({ window: 1, minimum: 1, patience: 1 });
});

test('a baseline has no bounds for the side that it leaves alone', () => {
  expect(() => weightBounds(harnessOnly, 10)).toThrow(RangeError);
  expect(() => harnessBounds(weightOnly)).toThrow(RangeError);
});
