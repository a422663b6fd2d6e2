import type { BlobStore } from '@whale/blob-store';
import type { CandidatesRequested, ProposerKind, Spec } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { HarnessSandbox } from '@whale/harness-sandbox';
import { sha256 } from '@whale/kernel';
import type { ArchiveEntry, Proposer, WorkspaceSource } from '@whale/proposers';
import type { ServiceStore, WorkProgress, WorkResult } from '@whale/service-kit';
import { archiveView, harnessSource } from './archive-view.ts';
import { proposalRequest, type Batch, type View } from './batch.ts';
import { eventsOf } from './events.ts';
import { Behaviour, type BehaviourParts } from './pipeline/behaviour.ts';
import { Judge, type JudgeParts } from './pipeline/judge.ts';
import { HeldSession } from './session/held-session.ts';
import { HostedSession } from './session/hosted-session.ts';
import { isPure } from './session/purity.ts';
import { SessionLog } from './session/session-log.ts';
import { sessionPrefix } from './session/stored.ts';
import { Trials } from './trials/trials.ts';

export interface ProposeParts {
  proposers: Readonly<Partial<Record<ProposerKind, Proposer>>>;
  checker: JudgeParts['checker'] & BehaviourParts['checker'];
  sandbox: Pick<HarnessSandbox, 'run'>;
  /** What the log tells of an experiment. */
  source(experimentId: string): Pick<WorkspaceSource, 'write' | 'rollouts'>;
  blobs: BlobStore;
  loadDomain: (spec: Spec['domain']) => Promise<Domain>;
  store: Pick<ServiceStore, 'documents' | 'documentsUnder'>;
}

/** How long to wait for scores that are on the log but not here yet. */
const WAIT_MS = 50;

/**
 * One batch of candidates. Invariants, each named by a test:
 * P1 The same request and the same named archive entries give the same view, whatever else has been scored since; a pure
 *    proposer then gives the same events.
 * P2 A source is in the blob store before the event that names it.
 * P3 A valid candidate has no score under the present θ and is in the batch once.
 */
export async function proposeBatch(
  request: CandidatesRequested['data'],
  parts: ProposeParts,
  signal: AbortSignal,
  progress: WorkProgress,
): Promise<WorkResult> {
  const { store, blobs } = parts;
  const archive = await archiveView(request, (keys) => store.documents(keys), blobs);
  if (archive === null) return { deferMilliseconds: WAIT_MS };
  const view = await viewOf(request, archive, parts);
  if (isPure(request.proposer.kind)) {
    const batch = await held(view, parts, { signal, progress, log: null });
    return { events: await eventsOf(view, batch, null, blobs) };
  }
  const log = await SessionLog.open(request, {
    blobs,
    store,
    commit: (effects) => progress.commit(effects),
  });
  const batch = await held(view, parts, { signal, progress, log });
  const events = await eventsOf(view, batch, log, blobs);
  // Those of earlier attempts too, of which one may have failed where nothing could be written any more.
  const journal = await store.documentsUnder(sessionPrefix(request));
  return { events, documents: new Map([...journal.keys()].map((key) => [key, null])) };
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

interface Attempt {
  signal: AbortSignal;
  progress: WorkProgress;
  log: SessionLog | null;
}

async function held(view: View, parts: ProposeParts, { signal, progress, log }: Attempt): Promise<Batch> {
  const { kind } = view.request.proposer;
  const proposer = parts.proposers[kind];
  if (proposer === undefined) throw new Error(`there is no proposer ${kind}`);
  const { experimentId, iterationId, attempt } = view.request;
  const source = parts.source(experimentId);
  const { checker, sandbox } = parts;
  const behaviour = new Behaviour(view, { checker, sandbox, recordings: source }, signal);
  const judge = new Judge(view, { checker, behaviour });
  const trials = new Trials(view, { sandbox, recordings: source }, signal);
  const session = new HostedSession({
    signal,
    log,
    check: (draft) => judge.judge(draft),
    tryOut: (text, taskIds) => trials.tryOut(text, taskIds),
    fill: async (folder) => {
      await source.write(folder, { domain: view.domain, at: { iterationId, attempt }, signal });
    },
  });
  try {
    const request = proposalRequest(view);
    const { isLastAttempt } = progress;
    return await new HeldSession({ proposer, request, session, judge, log, isLastAttempt }).hold();
  } finally {
    await session.close();
  }
}
