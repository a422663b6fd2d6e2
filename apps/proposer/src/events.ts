import type { BlobStore } from '@whale/blob-store';
import type {
  CandidateRejected,
  DomainEvent,
  HarnessProposed,
  ProposalAudited,
  ProposalFailed,
} from '@whale/contracts';
import type { ErrorDescription } from '@whale/kernel';
import { unifiedDiff, type Draft } from '@whale/proposers';
import { endedAtOnce } from './session/audit-events.ts';
import type { SessionLog } from './session/session-log.ts';
import { DRAFTS_A_CANDIDATE, type Batch, type View } from './batch.ts';

/**
 * The events of a batch: what was rejected, how the session ended, then the valid candidates, or that there is none. A
 * pure proposer's session is told of only where it wrote fewer candidates than asked.
 */
export async function eventsOf(
  view: View,
  batch: Batch,
  log: SessionLog | null,
  blobs: BlobStore,
): Promise<DomainEvent[]> {
  const valid = batch.judged.filter(({ rejection }) => rejection === null).map(({ draft }) => draft);
  const told = [...rejections(view, batch), ...endOf(view, batch, valid.length, log)];
  if (valid.length === 0) return [...told, failure(view, batch)];
  const proposed: HarnessProposed[] = [];
  for (const draft of valid) proposed.push(await proposal(view, draft, proposed.length, valid.length, blobs));
  return [...told, ...proposed];
}

function endOf({ request }: View, { judged, end }: Batch, valid: number, log: SessionLog | null): ProposalAudited[] {
  if (log === null && valid === request.count) return [];
  const counts = { wanted: request.count, written: judged.length, valid };
  return log === null ? [endedAtOnce(request, end, counts)] : log.ended(end, counts);
}

function rejections({ request }: View, { judged }: Batch): CandidateRejected[] {
  const { experimentId, iterationId, attempt, count } = request;
  // Numbers of a later attempt go on after the most that earlier ones can have taken.
  const first = (attempt - 1) * DRAFTS_A_CANDIDATE * count + 1;
  return judged.flatMap(({ draft, rejection }, i): CandidateRejected[] => {
    if (rejection === null) return [];
    const { source, parent, hypothesis } = draft;
    const data = { experimentId, iterationId, number: first + i, source, parent, hypothesis, ...rejection };
    return [{ type: 'whale.candidate.rejected.v1', data }];
  });
}

async function proposal(
  { request, parents }: View,
  draft: Draft,
  index: number,
  of: number,
  blobs: BlobStore,
): Promise<HarnessProposed> {
  const { experimentId, iterationId } = request;
  const { source, parent, hypothesis, changes } = draft;
  const { uri, bytes, sha256: id } = await blobs.put(new TextEncoder().encode(source));
  const diff = unifiedDiff({ id: parent, source: parents.get(parent) ?? '' }, { id, source });
  return {
    type: 'whale.harness.proposed.v1',
    data: {
      experimentId,
      iterationId,
      index,
      of,
      harness: { id, uri, bytes },
      source,
      parent,
      hypothesis,
      changes: [...changes],
      diff,
    },
  };
}

function failure({ request }: View, batch: Batch): ProposalFailed {
  const { experimentId, iterationId, attempt, final } = request;
  const error = errorOf(batch, final);
  return {
    type: 'whale.proposal.failed.v1',
    // What another attempt cannot mend is not tried again.
    data: { experimentId, iterationId, attempt, final: final || !error.retryable, error },
  };
}

const EXHAUSTED = 'PROPOSER_EXHAUSTED';
const LIMIT = 'PROPOSER_LIMIT';
const FAILED = 'PROPOSER_FAILED';

function errorOf({ judged, end, error }: Batch, isLastAttempt: boolean): ErrorDescription {
  if (error !== null) return error;
  // What broke may work the next time; one that breaks each time needs a person.
  if (end.reason === 'failed') {
    return { code: FAILED, message: end.message ?? 'the proposer has failed', retryable: !isLastAttempt };
  }
  // Who ends without a draft and says why would be asked the same, and paid for, once more.
  if (judged.length === 0 && end.message !== null && end.reason === 'finished') {
    return { code: EXHAUSTED, message: `the proposer has no candidate: ${end.message}`, retryable: false };
  }
  const last = judged.at(-1)?.rejection;
  const said = [
    judged.length === 0 ? 'no draft was written' : `none of ${judged.length} drafts is valid`,
    ...(last ? [`the last one: ${last.stage}: ${last.message}`] : []),
    ...(end.reason === 'finished' ? [] : [`the session was ended by its limit of ${end.reason}`]),
    ...(end.message === null || judged.length > 0 ? [] : [end.message]),
  ];
  const message = said.join('; ');
  // Limits are those of a batch: another attempt would spend them once more.
  if (end.reason !== 'finished') return { code: LIMIT, message, retryable: false };
  return { code: 'NO_VALID_CANDIDATE', message, retryable: true };
}
