import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparePaired, type TaskPair } from './paired.ts';

/** One rollout a task on each side: both right, only the challenger, only the incumbent, none. */
function single(both: number, challenger: number, incumbent: number, neither: number): TaskPair[] {
  const pair = (c: number, i: number): TaskPair => ({
    challenger: { correct: c, measured: 1 },
    incumbent: { correct: i, measured: 1 },
  });
  const of = (count: number, c: number, i: number) => Array.from({ length: count }, () => pair(c, i));
  return [...of(both, 1, 1), ...of(challenger, 1, 0), ...of(incumbent, 0, 1), ...of(neither, 0, 0)];
}

// Calculated apart: Bonett and Price's formula, and the upper tail of the binomial of better + worse with 1/2.
test.each([
  [1, 7, 1, 12, 6 / 21, 0.0134, 0.5084, 9 / 256],
  [59, 16, 6, 80, 10 / 161, 0.0032, 0.1195, 0.02624],
  [5, 3, 3, 5, 0, -0.308, 0.308, 0.65625],
  [0, 0, 4, 0, -1, -1, -0.0703, 1],
])('%d both, %d better, %d worse, %d neither', (both, better, worse, neither, mean, low, high, p) => {
  const compared = comparePaired(single(both, better, worse, neither));
  expect(compared).toMatchObject({ tasks: both + better + worse + neither, better, worse, equal: both + neither });
  expect(compared.mean).toBeCloseTo(mean, 12);
  expect(compared.low).toBeCloseTo(low, 3);
  expect(compared.high).toBeCloseTo(high, 3);
  expect(compared.p).toBeCloseTo(p, 4);
});

describe('edges', () => {
  test('no task measured on both sides says nothing', () => {
    const lost = { correct: 0, measured: 0 };
    const nothing = { tasks: 0, better: 0, worse: 0, equal: 0, mean: null, low: null, high: null, p: null };
    expect(comparePaired([])).toEqual(nothing);
    expect(comparePaired([{ challenger: lost, incumbent: { correct: 2, measured: 2 } }])).toEqual(nothing);
  });

  test('a tie on every task has mean 0, p 1, and still an interval', () => {
    const { mean, low, high, p } = comparePaired(single(3, 0, 0, 4));
    expect([mean, p]).toEqual([0, 1]);
    expect(low).toBeLessThan(0);
    expect(high).toBe(-(low as number));
  });

  test('a task counts by its score, whatever number of its rollouts was measured', () => {
    const pair: TaskPair = { challenger: { correct: 2, measured: 3 }, incumbent: { correct: 1, measured: 2 } };
    expect(comparePaired([pair]).mean).toBeCloseTo(1 / 6, 12);
    const tied: TaskPair = { challenger: { correct: 2, measured: 6 }, incumbent: { correct: 1, measured: 3 } };
    expect(comparePaired([tied, tied])).toMatchObject({ mean: 0, equal: 2 });
  });
});

const tally = fc
  .integer({ min: 0, max: 4 })
  .chain((measured) => fc.integer({ min: 0, max: measured }).map((correct) => ({ correct, measured })));
const pairs = fc.array(fc.record({ challenger: tally, incumbent: tally }), { minLength: 1, maxLength: 9 });

test('p is that of all choices of signs, counted one by one', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      const { p, tasks } = comparePaired(all);
      const differences = all
        .filter(({ challenger, incumbent }) => challenger.measured > 0 && incumbent.measured > 0)
        .map(
          ({ challenger, incumbent }) =>
            challenger.correct / challenger.measured - incumbent.correct / incumbent.measured,
        );
      if (tasks === 0) return;
      const sum = (signs: number) => differences.reduce((total, d, i) => total + ((signs >> i) & 1 ? -d : d), 0);
      const observed = sum(0);
      let atLeast = 0;
      for (let signs = 0; signs < 2 ** tasks; signs++) if (sum(signs) >= observed - 1e-9) atLeast++;
      expect(p).toBeCloseTo(atLeast / 2 ** tasks, 10);
    }),
  );
});

test('the other way round it mirrors, and the order of tasks is moot', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      const one = comparePaired(all);
      const mirrored = comparePaired(
        all.map(({ challenger, incumbent }) => ({ challenger: incumbent, incumbent: challenger })),
      );
      expect(comparePaired([...all].reverse())).toEqual(one);
      expect([mirrored.better, mirrored.worse, mirrored.equal]).toEqual([one.worse, one.better, one.equal]);
      if (one.mean === null) return;
      expect(mirrored.mean).toBeCloseTo(-one.mean, 12);
      expect(mirrored.low).toBeCloseTo(-(one.high as number), 12);
      expect((one.low as number) <= one.mean && one.mean <= (one.high as number)).toBe(true);
    }),
  );
});
