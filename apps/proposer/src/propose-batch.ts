import type { BlobStore } from '@whale/blob-store';
import type { CandidatesRequested, ProposerKind, Spec } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { HarnessChecker } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry, JudgedDraft, Proposer } from '@whale/proposers';
import type { WorkResult } from '@whale/service-kit';
import { archiveView, harnessSource } from './archive-view.ts';
import { MOST_ROUNDS, type Batch, type View } from './batch.ts';
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
  const proposer = proposers[request.proposer.kind];
  if (proposer === undefined) throw new Error(`there is no proposer ${request.proposer.kind}`);
  const taken = new Set([...scored, incumbent.id]);
  const judged: JudgedDraft[] = [];
  let reason: string | null = null;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const missing = request.count - judged.filter(({ rejection }) => rejection === null).length;
    const before = judged.length;
    const drafts = proposer.propose(
      {
        domain,
        incumbent,
        weightsVersion: request.weights.version,
        archive,
        count: missing,
        // An attempt after a failed one must not write the same again.
        seed: `${request.seed}/attempt/${request.attempt}`,
        known: scored,
        judged: [...judged],
      },
      signal,
    );
    reason = null;
    for (let next = await drafts.next(); ; next = await drafts.next()) {
      if (next.done === true) {
        reason = next.value ?? null;
        break;
      }
      const rejection = await judge(next.value, { domain, taken, parents }, checker);
      signal.throwIfAborted();
      if (rejection === null) taken.add(sha256(next.value.source));
      judged.push({ draft: next.value, rejection });
      if (judged.length - before === missing) {
        await drafts.return();
        break;
      }
    }
    // Replacements are for what was rejected: who writes fewer on purpose is not asked again.
    if (judged.slice(before).every(({ rejection }) => rejection === null)) break;
  }
  return { judged, reason };
}
