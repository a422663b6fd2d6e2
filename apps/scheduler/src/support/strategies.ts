import type { SpecInput } from '@whale/contracts';
import { rng } from '@whale/kernel';
import type { WorldOptions } from './scripted-world.ts';

/** All strategies, small enough for many runs. */
export const strategies: Record<SpecInput['strategy']['kind'], SpecInput['strategy']> = {
  fixed: { kind: 'fixed', cycles: 2, weight: { epochs: 0.6 }, harness: { iterations: 2 } },
  adaptive: {
    kind: 'adaptive',
    cycles: 2,
    weight: { window: 0.2, minimum: 0.2, patience: 0.2, maximum: 1.5 },
    harness: { minimum: 1, patience: 1, maximum: 4 },
  },
  'weight-only': { kind: 'weight-only', weight: { epochs: 1.2 } },
  'harness-only': { kind: 'harness-only', harness: { iterations: 4 } },
  stagewise: { kind: 'stagewise', weight: { epochs: 0.6 }, harness: { iterations: 3 } },
  'prompt-only': {
    kind: 'prompt-only',
    schedule: { kind: 'fixed', cycles: 2, weight: { epochs: 0.4 }, harness: { iterations: 2 } },
  },
};

/** A world in which everything that may fail fails now and then. */
export const troubled: WorldOptions = {
  rolloutFailures: 0.15,
  verifierFailures: 0.03,
  updateFailures: 0.2,
  proposalFailures: 0.3,
  audits: 0.7,
};

/** Winners are measured again, one fresh rollout a task, and any difference counts. */
export const confirm: Partial<SpecInput> = {
  harness: { candidates: 3, acceptance: 'confirm', confirm: { rolloutsPerTask: 1, level: 0.5 } },
};

/** Troubled, and all harnesses are alike, so that winners of the search are often luck and often confirmed. */
export function contested(seed: string): WorldOptions {
  return {
    ...troubled,
    seed,
    outcome: ({ group, rolloutId }) =>
      group.purpose === 'harness'
        ? rng(`${seed}/coin/${rolloutId}`).pick(['correct', 'incorrect'] as const)
        : undefined,
  };
}
