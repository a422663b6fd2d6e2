/**
 * Patience over a signal (DESIGN §5). Invariants, each named by a test:
 * P1 A step counts as a new best only when its signal is strictly above all before; any margin is enough.
 * P2 The phase ends at the first step ≥ minimum at which `patience` steps have passed since the last new best.
 * P3 A step without a signal (the window is not full) is neither a new best nor a step of waiting.
 */
export interface Patience {
  best: number | null;
  /** Steps with a signal since the last new best. */
  waited: number;
  steps: number;
}

export const freshPatience: Patience = { best: null, waited: 0, steps: 0 };

export function observe(state: Patience, signal: number | null): Patience {
  const steps = state.steps + 1;
  if (signal === null) return { ...state, steps };
  if (state.best === null || signal > state.best) return { best: signal, waited: 0, steps };
  return { best: state.best, waited: state.waited + 1, steps };
}

export function isExhausted(state: Patience, rule: { minimum: number; patience: number }): boolean {
  return state.steps >= rule.minimum && state.waited >= rule.patience;
}

/** One weight step as the signal sees it. */
export interface StepReward {
  correct: number;
  measured: number;
}

/**
 * Mean verifier reward over the last `window` steps, by rollouts; null while the window is not full or nothing in it
 * could be measured.
 */
export function windowReward(steps: readonly StepReward[], window: number): number | null {
  if (steps.length < window) return null;
  let correct = 0;
  let measured = 0;
  for (const step of steps.slice(-window)) {
    correct += step.correct;
    measured += step.measured;
  }
  return measured === 0 ? null : correct / measured;
}
