import type { BlobStore } from '@whale/blob-store';
import type { CandidatesRequested, ProposerKind, Spec } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { HarnessChecker } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry, JudgedDraft, ProposalSession, Proposer } from '@whale/proposers';
import type { WorkResult } from '@whale/service-kit';
import { archiveView, harnessSource } from './archive-view.ts';
import { DRAFTS_A_CANDIDATE, type Batch, type View } from './batch.ts';
import { eventsOf } from './events.ts';
import { judge } from './judge.ts';

export interface ProposeParts {
  proposers: Readonly<Partial<Record<ProposerKind, Proposer>>>;
  checker: Pick<HarnessChecker, 'check'>;
  blobs: BlobStore;
  loadDomain: (spec: Spec['domain']) => Promise<Domain>;
  documents: (keys: readonly string[]) => Promise<ReadonlyMap<string, unknown>>;
}

/** How long to wait for scores that are on the log but not here yet. */
const WAIT_MS = 50;

/**
 * One batch of candidates. Invariants, each named by a test:
 * P1 The same request and the same named archive entries give the same events, whatever else has been scored since.
 * P2 A source is in the blob store before the event that names it.
 * P3 A valid candidate has no score under the present θ and is in the batch once.
 */
export async function proposeBatch(
  request: CandidatesRequested['data'],
  parts: ProposeParts,
  signal: AbortSignal,
): Promise<WorkResult> {
  const archive = await archiveView(request, parts.documents, parts.blobs);
  if (archive === null) return { deferMilliseconds: WAIT_MS };
  const view = await viewOf(request, archive, parts);
  const batch = await writeBatch(view, parts, signal);
  return { events: await eventsOf(view, batch, parts.blobs) };
}

async function viewOf(
  request: CandidatesRequested['data'],
  archive: readonly ArchiveEntry[],
  { loadDomain, blobs }: ProposeParts,
): Promise<View> {
  const domain = await loadDomain(request.domain);
  const incumbent = { id: request.incumbent.id, source: await harnessSource(blobs, request.incumbent) };
  const present = archive.filter((entry) => entry.weightsVersion === request.weights.version);
  return {
    request,
    domain,
    incumbent,
    archive,
    scored: new Set(present.map((entry) => entry.harnessId)),
    parents: new Map([
      [sha256(domain.seedHarness), domain.seedHarness],
      ...archive.map((entry): [string, string] => [entry.harnessId, entry.source]),
      [incumbent.id, incumbent.source],
    ]),
  };
}

async function writeBatch(view: View, { proposers, checker }: ProposeParts, signal: AbortSignal): Promise<Batch> {
  const { request, domain, incumbent, archive, scored, parents } = view;
  const { experimentId, iterationId, attempt, cycle, iteration, count } = request;
  const proposer = proposers[request.proposer.kind];
  if (proposer === undefined) throw new Error(`there is no proposer ${request.proposer.kind}`);
  const taken = new Set([...scored, incumbent.id]);
  const judged: JudgedDraft[] = [];
  const drafts = proposer.propose(
    {
      ...{ experimentId, iterationId, attempt, cycle, iteration, proposer: request.proposer },
      domain,
      incumbent,
      weightsVersion: request.weights.version,
      archive,
      count,
      promptsOnly: false,
      // An attempt after a failed one must not write the same again.
      seed: `${request.seed}/attempt/${attempt}`,
      known: scored,
    },
    bareSession(signal),
  );
  let next = await drafts.next();
  while (next.done !== true) {
    const draft = next.value;
    const rejection = await judge(draft, { domain, taken, parents }, checker);
    signal.throwIfAborted();
    if (rejection === null) taken.add(sha256(draft.source));
    judged.push({ draft, rejection });
    const valid = judged.filter((one) => one.rejection === null).length;
    if (valid === count || judged.length === DRAFTS_A_CANDIDATE * count) {
      await drafts.return();
      return { judged, reason: null };
    }
    next = await drafts.next(rejection);
  }
  const end = next.value ?? null;
  return { judged, reason: end !== null && typeof end === 'object' ? end.message : end };
}

/** Offers nothing but the signal. */
function bareSession(signal: AbortSignal): ProposalSession {
  const refuse = async () => Promise.reject(new Error('not offered here yet'));
  return { signal, journal: [], judged: [], workspace: refuse, check: refuse, tryOut: refuse, record: refuse };
}
