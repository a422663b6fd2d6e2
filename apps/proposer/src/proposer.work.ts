import type { CandidatesRequested, ProposalFailed } from '@whale/contracts';
import type { WorkHandler } from '@whale/service-kit';
import { proposeBatch, type ProposeParts } from './propose-batch.ts';

export const PROPOSE_WORK = 'propose';

export function proposeWork(parts: ProposeParts, concurrency: number): WorkHandler {
  return {
    kind: PROPOSE_WORK,
    concurrency,
    run: (payload, signal, progress) => proposeBatch(payload as CandidatesRequested['data'], parts, signal, progress),
    failed: (payload, error) => {
      const { experimentId, iterationId, attempt, final } = payload as CandidatesRequested['data'];
      const failed: ProposalFailed = {
        type: 'whale.proposal.failed.v1',
        data: { experimentId, iterationId, attempt, final, error },
      };
      return [failed];
    },
  };
}
