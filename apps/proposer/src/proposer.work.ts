import type { CandidatesRequested, ProposalFailed } from '@whale/contracts';
import type { WorkHandler } from '@whale/service-kit';
import { endOfBroken } from './session/session-log.ts';
import { proposeBatch, type ProposeParts } from './propose-batch.ts';

export const PROPOSE_WORK = 'propose';

export function proposeWork(parts: ProposeParts, concurrency: number): WorkHandler {
  return {
    kind: PROPOSE_WORK,
    concurrency,
    run: (payload, signal, progress) => proposeBatch(payload as CandidatesRequested['data'], parts, signal, progress),
    failed: async (payload, error) => {
      const request = payload as CandidatesRequested['data'];
      const { experimentId, iterationId, attempt, final } = request;
      const failed: ProposalFailed = {
        type: 'whale.proposal.failed.v1',
        data: { experimentId, iterationId, attempt, final: final || !error.retryable, error },
      };
      // What the session has cost by then is told, whatever has become of it.
      return [...(await endOfBroken(request, parts.store, error)), failed];
    },
  };
}
