import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshPatience, isExhausted, observe, windowReward, type Patience } from './patience.ts';

const after = (...signals: (number | null)[]): Patience => signals.reduce(observe, freshPatience);
/** The step after which the phase ends; undefined when the signal does not end it. */
function endsAt(rule: { minimum: number; patience: number }, ...signals: (number | null)[]): number | undefined {
  let state = freshPatience;
  for (const [i, signal] of signals.entries()) {
    state = observe(state, signal);
    if (isExhausted(state, rule)) return i + 1;
  }
  return undefined;
}

describe('P1: only what is strictly above all before is a new best', () => {
  test('any margin counts', () => {
    expect(after(0.5, 0.5 + Number.EPSILON)).toMatchObject({ waited: 0, best: 0.5 + Number.EPSILON });
  });
  test('a tie does not', () => {
    expect(after(0.5, 0.5)).toMatchObject({ waited: 1, best: 0.5 });
  });
  test('nor does a rise that stays below the best', () => {
    expect(after(0.5, 0.1, 0.4)).toMatchObject({ waited: 2, best: 0.5 });
  });
  test('a first signal of zero is a best', () => {
    expect(after(0)).toEqual({ best: 0, waited: 0, steps: 1 });
  });
});

describe('P2: the end comes at the first step past the minimum after so many without a new best', () => {
  const rule = { minimum: 3, patience: 2 };
  test('the plain case', () => expect(endsAt(rule, 0.1, 0.2, 0.3, 0.3, 0.3, 0.3)).toBe(5));
  test('a new best on the last allowed step starts the waiting anew', () => {
    expect(endsAt(rule, 0.3, 0.2, 0.3, 0.31)).toBe(3);
    expect(endsAt({ minimum: 1, patience: 3 }, 0.3, 0.2, 0.1, 0.31, 0.1, 0.1, 0.1)).toBe(7);
  });
  test('before the minimum nothing ends, at the minimum it may', () => {
    expect(endsAt({ minimum: 5, patience: 2 }, 0.9, 0.1, 0.1, 0.1, 0.1)).toBe(5);
    expect(endsAt({ minimum: 5, patience: 2 }, 0.9, 0.1, 0.1, 0.1)).toBeUndefined();
  });
  test('a signal that always rises never ends', () => {
    expect(endsAt(rule, ...Array.from({ length: 50 }, (_, i) => i))).toBeUndefined();
  });
});

describe('P3: a step without a signal is neither a new best nor a step of waiting', () => {
  test('it counts for the minimum alone', () => {
    expect(after(null, null)).toEqual({ best: null, waited: 0, steps: 2 });
    expect(endsAt({ minimum: 2, patience: 1 }, null, null, 0.5, 0.5)).toBe(4);
  });
  test('in the middle it does not break the waiting', () => {
    expect(after(0.5, 0.4, null)).toEqual({ best: 0.5, waited: 1, steps: 3 });
  });
});

test('the end depends only on the signal up to it', () => {
  const signals = fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true })), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      signals,
      signals,
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      (one, more, minimum, patience) => {
        const end = endsAt({ minimum, patience }, ...one);
        if (end !== undefined) {
          expect(endsAt({ minimum, patience }, ...one, ...more)).toBe(end);
          expect(end).toBeGreaterThanOrEqual(minimum);
          // The best is `patience` signals or more back.
          const heard = one.slice(0, end).filter((signal) => signal !== null);
          const best = Math.max(...heard);
          expect(heard.length - 1 - heard.indexOf(best)).toBeGreaterThanOrEqual(patience);
        }
      },
    ),
  );
});

describe('the rolling reward', () => {
  const step = (correct: number, measured = 10) => ({ correct, measured });
  test('is not there before the window is full', () => {
    expect(windowReward([step(1)], 2)).toBeNull();
    expect(windowReward([], 1)).toBeNull();
  });
  test('is the mean by rollouts over just the last steps', () => {
    expect(windowReward([step(10), step(1), step(4)], 2)).toBe(0.25);
    expect(windowReward([step(1, 1), step(0, 99)], 2)).toBe(0.01);
  });
  test('is not there when nothing in the window could be measured', () => {
    expect(windowReward([step(5), step(0, 0)], 1)).toBeNull();
  });
});
