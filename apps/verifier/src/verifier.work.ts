import type { Spec, VerificationFailed } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { WorkHandler } from '@whale/service-kit';
import { verifyRollout, type VerifiableRollout } from './verify-rollout.ts';

export const VERIFY_WORK = 'verify';

export function verifyWork(loadDomain: (spec: Spec['domain']) => Promise<Domain>, concurrency: number): WorkHandler {
  return {
    kind: VERIFY_WORK,
    concurrency,
    run: async (payload) => ({ events: [await verifyRollout(payload as VerifiableRollout, loadDomain)] }),
    failed: (payload, error) => {
      const { experimentId, rolloutId, attempt, group, taskId, sampleIndex, tokens } = payload as VerifiableRollout;
      const failed: VerificationFailed = {
        type: 'whale.verification.failed.v1',
        data: { experimentId, rolloutId, attempt, group, taskId, sampleIndex, error, tokens },
      };
      return [failed];
    },
  };
}
