import type { CandidatesRequested, ProposalFailed } from '@whale/contracts';
import type { WorkHandler } from '@whale/service-kit';
import { describeError } from '@whale/kernel';
import { isAway } from './session/held-session.ts';
import { endOfBroken } from './session/session-log.ts';
import { proposeBatch, type ProposeParts } from './propose-batch.ts';

export const PROPOSE_WORK = 'propose';

/** How long to wait for what a proposer needs and does not reach, ms. */
const AWAY_MS = 30_000;

/** `onTrouble` is told of what is waited for. */
export function proposeWork(
  parts: ProposeParts,
  concurrency: number,
  onTrouble: (message: string, fields: { experimentId: string }) => void,
): WorkHandler {
  return {
    kind: PROPOSE_WORK,
    concurrency,
    run: async (payload, signal, progress) => {
      const request = payload as CandidatesRequested['data'];
      try {
        return await proposeBatch(request, parts, signal, progress);
      } catch (error) {
        if (!isAway(error) || signal.aborted) throw error;
        const { experimentId } = request;
        onTrouble(`${describeError(error).message}; asked again in ${AWAY_MS / 1_000} s`, { experimentId });
        return { deferMilliseconds: AWAY_MS };
      }
    },
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
