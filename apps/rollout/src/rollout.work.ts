import type { RolloutFailed, RolloutRequested } from '@whale/contracts';
import type { WorkHandler } from '@whale/service-kit';
import { runRollout, type RolloutParts } from './run-rollout.ts';

export const ROLLOUT_WORK = 'rollout';

export function rolloutWork(parts: RolloutParts, concurrency: number): WorkHandler {
  return {
    kind: ROLLOUT_WORK,
    concurrency,
    run: async (payload, signal) => ({
      events: [await runRollout(payload as RolloutRequested['data'], parts, signal)],
    }),
    failed: (payload, error) => {
      const { experimentId, rolloutId, attempt, final, group, taskId, sampleIndex } =
        payload as RolloutRequested['data'];
      const failed: RolloutFailed = {
        type: 'whale.rollout.failed.v1',
        data: { experimentId, rolloutId, attempt, final, group, taskId, sampleIndex, error },
      };
      return [failed];
    },
  };
}
