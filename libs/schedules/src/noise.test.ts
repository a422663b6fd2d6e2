import type { ConfirmRule } from '@whale/contracts';
import { rng, type Rng } from '@whale/kernel';
import { describe, expect, test } from 'vitest';
import { confirmed } from './acceptance.ts';
import { argmaxAcceptsNoise, confirmAcceptsNoise, taskProbabilities, type IdenticalSearch } from './noise.ts';
import { comparePaired } from './paired.ts';

const even = (n: number, p: number) => Array.from({ length: n }, () => p);
const mixed: IdenticalSearch = { tasks: [...even(6, 0.1), ...even(6, 0.5), ...even(6, 0.95)], batches: [3, 2, 0, 3] };

function total(random: Rng, tasks: readonly number[]): number {
  return tasks.filter((p) => random.float() < p).length;
}

/** The search as it runs, with candidates that are the incumbent. */
function accepts(random: Rng, { tasks, batches }: IdenticalSearch, confirm: (random: Rng) => boolean): boolean {
  const incumbent = total(random, tasks);
  let rivals = 0;
  for (const batch of batches) {
    for (let i = 0; i < batch; i++) if (total(random, tasks) > incumbent) rivals++;
    if (rivals > 0 && confirm(random)) return true;
    rivals = Math.max(0, rivals - 1);
  }
  return false;
}

function rate(search: IdenticalSearch, confirm: (random: Rng) => boolean, runs: number): number {
  const random = rng('A/A');
  return Array.from({ length: runs }, () => accepts(random, search, confirm)).filter(Boolean).length / runs;
}

function confirmation(tasks: readonly number[], rule: ConfirmRule) {
  return (random: Rng) => {
    const measured = rule.rolloutsPerTask;
    const side = (p: number) => ({ correct: total(random, even(measured, p)), measured });
    return confirmed(comparePaired(tasks.map((p) => ({ challenger: side(p), incumbent: side(p) }))), rule).accepted;
  };
}

describe('an A/A search', () => {
  test('of one coin and one candidate, by hand', () => {
    expect(argmaxAcceptsNoise({ tasks: [0.5], batches: [1] })).toBeCloseTo(1 / 4, 12);
    // Above with 1/4; then the fresh coin of one is heads and of the other tails.
    expect(confirmAcceptsNoise({ tasks: [0.5], batches: [1] }, { rolloutsPerTask: 1, level: 0.5 })).toBeCloseTo(
      1 / 16,
      12,
    );
  });

  test('accepts by arg max and by confirmation as often as in a simulation of it', () => {
    expect(rate(mixed, () => true, 20_000)).toBeCloseTo(argmaxAcceptsNoise(mixed), 2);
    const rule = { rolloutsPerTask: 2, level: 0.5 };
    const simulated = rate(mixed, confirmation(mixed.tasks, rule), 4_000);
    expect(Math.abs(simulated - confirmAcceptsNoise(mixed, rule))).toBeLessThan(0.025);
  });

  test('with a level below 0.5, is bounded from above', () => {
    const rule = { rolloutsPerTask: 2, level: 0.1 };
    const simulated = rate(mixed, confirmation(mixed.tasks, rule), 4_000);
    const bound = confirmAcceptsNoise(mixed, rule);
    expect(simulated).toBeLessThan(bound + 0.02);
    expect(simulated).toBeGreaterThan(bound / 3);
    expect(bound).toBeLessThan(confirmAcceptsNoise(mixed, { rolloutsPerTask: 2, level: 0.5 }));
  });

  test('of many candidates accepts noise nearly always by arg max', () => {
    const search = { tasks: even(100, 0.3), batches: even(6, 3) };
    expect(argmaxAcceptsNoise(search)).toBeGreaterThan(0.9);
    expect(confirmAcceptsNoise(search, { rolloutsPerTask: 2, level: 0.05 })).toBeLessThan(0.27);
  });

  test('without noise or without candidates accepts nothing', () => {
    for (const search of [
      { tasks: [0, 1, 1], batches: [3, 3] },
      { tasks: even(9, 0.4), batches: [] },
      { tasks: even(9, 0.4), batches: [0, 0] },
    ]) {
      expect(argmaxAcceptsNoise(search)).toBeCloseTo(0, 12);
      expect(confirmAcceptsNoise(search, { rolloutsPerTask: 2, level: 0.5 })).toBeCloseTo(0, 12);
    }
  });
});

test('P(correct) of a task lies between its share and the mean of all', () => {
  const one = (correct: number) => ({ correct, measured: 1 });
  expect(taskProbabilities([one(1), one(0), one(0), one(0)])).toEqual([0.625, 0.125, 0.125, 0.125]);
  const more = taskProbabilities([
    { correct: 9, measured: 9 },
    { correct: 0, measured: 9 },
    { correct: 0, measured: 0 },
  ]);
  expect(more).toEqual([0.95, 0.05, 0.5]);
  expect(taskProbabilities([{ correct: 0, measured: 0 }])).toBeNull();
  expect(taskProbabilities([])).toBeNull();
});
