import { parseSpec, type SpecInput } from '@whale/contracts';
import { expect, test } from 'vitest';
import { fixedWeightRange, harnessBounds, phaseAt, weightBounds } from './phase-plan.ts';

const spec = (strategy: SpecInput['strategy']) =>
  parseSpec({ name: 'x', domain: { name: 'd', dataset: 's' }, weight: { promptsPerStep: 10 }, strategy }, 'x.yaml');
const fixed = spec({ kind: 'fixed', cycles: 2, weight: { epochs: 0.6 }, harness: { iterations: 6 } });
const adaptive = spec({ kind: 'adaptive', cycles: 3, weight: {}, harness: {} });
const weightOnly = spec({ kind: 'weight-only', weight: { epochs: 2 } });
const harnessOnly = spec({ kind: 'harness-only', harness: { iterations: 9 } });
const stagewise = spec({ kind: 'stagewise', weight: { epochs: 1.8 }, harness: { iterations: 12 } });
const promptOnly = (of: typeof fixed) => spec({ kind: 'prompt-only', schedule: of.strategy } as SpecInput['strategy']);

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

test('stagewise is one weight phase of E*, then one harness phase of I*', () => {
  expect([0, 1, 2].map((i) => phaseAt(stagewise, i))).toEqual([
    { cycle: 1, kind: 'weight' },
    { cycle: 1, kind: 'harness' },
    undefined,
  ]);
  expect(weightBounds(stagewise, 50)).toEqual({ maximum: 90, patience: null });
  expect(fixedWeightRange(stagewise, 0, 50)).toEqual({ from: 0, to: 90 });
  expect(harnessBounds(stagewise)).toEqual({ maximum: 12, patience: null });
});

test.each([
  ['fixed', fixed],
  ['adaptive', adaptive],
])('prompt-only has the schedule that it names: %s', (_, same) => {
  const control = promptOnly(same);
  for (let i = 0; i < 8; i++) expect(phaseAt(control, i)).toEqual(phaseAt(same, i));
  expect(weightBounds(control, 200)).toEqual(weightBounds(same, 200));
  expect(harnessBounds(control)).toEqual(harnessBounds(same));
  expect(fixedWeightRange(control, 2, 200)).toEqual(fixedWeightRange(same, 2, 200));
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
