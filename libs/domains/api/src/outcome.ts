import type { Outcome, RolloutEnd } from '@whale/contracts';

/** The typed outcome of a verified rollout. A harness that failed or ran out of budget never earns the reward. */
export function gradeToOutcome(end: RolloutEnd, reward: 0 | 1): Outcome {
  switch (end.kind) {
    case 'answered':
      return reward === 1 ? 'correct' : 'incorrect';
    case 'truncated':
      return 'truncated';
    case 'harness_error':
      return 'harness_error';
    default:
      return end satisfies never;
  }
}
