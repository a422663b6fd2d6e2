import type { BlobStore } from '@whale/blob-store';
import type { CandidateRejected, DomainEvent, HarnessProposed, ProposalFailed } from '@whale/contracts';
import { unifiedDiff, type Draft } from '@whale/proposers';
import { DRAFTS_A_CANDIDATE, type Batch, type View } from './batch.ts';

/** The events of a batch: what was rejected, then the valid candidates, or that there is none. */
export async function eventsOf(view: View, batch: Batch, blobs: BlobStore): Promise<DomainEvent[]> {
  const valid = batch.judged.filter(({ rejection }) => rejection === null).map(({ draft }) => draft);
  const rejected = rejections(view, batch);
  if (valid.length === 0) return [...rejected, failure(view, batch)];
  const proposed: HarnessProposed[] = [];
  for (const draft of valid) proposed.push(await proposal(view, draft, proposed.length, valid.length, blobs));
  return [...rejected, ...proposed];
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

function failure({ request }: View, { judged, reason }: Batch): ProposalFailed {
  const { experimentId, iterationId, attempt, final } = request;
  // Without a draft there is nothing that another attempt could do otherwise.
  const exhausted = judged.length === 0 && reason !== null;
  const last = judged.at(-1)?.rejection;
  const message = exhausted
    ? `the proposer has no candidate: ${reason}`
    : `none of ${judged.length} drafts is valid${last ? `; the last one: ${last.stage}: ${last.message}` : ''}`;
  return {
    type: 'whale.proposal.failed.v1',
    data: {
      experimentId,
      iterationId,
      attempt,
      final: final || exhausted,
      error: { code: exhausted ? 'PROPOSER_EXHAUSTED' : 'NO_VALID_CANDIDATE', message, retryable: !exhausted },
    },
  };
}
