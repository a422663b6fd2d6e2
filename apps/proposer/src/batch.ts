import type { CandidatesRequested } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { ErrorDescription } from '@whale/kernel';
import type { ArchiveEntry, JudgedDraft, ProposalRequest, SessionEnd } from '@whale/proposers';

/** Drafts that are judged for each candidate wanted, replacements of rejected ones among them. */
export const DRAFTS_A_CANDIDATE = 4;

/** All that a batch is made from. */
export interface View {
  request: CandidatesRequested['data'];
  domain: Domain;
  incumbent: { id: string; source: string };
  archive: readonly ArchiveEntry[];
  /** Ids of the harnesses that have a score under the present θ. */
  scored: ReadonlySet<string>;
  /** Sources by id of all harnesses that may be a parent. */
  parents: ReadonlyMap<string, string>;
}

/** What came of a session. */
export interface Batch {
  judged: readonly JudgedDraft[];
  end: SessionEnd;
  /** What broke it, where its end is `failed`. */
  error: ErrorDescription | null;
}

export function proposalRequest({ request, domain, incumbent, archive, scored }: View): ProposalRequest {
  const { experimentId, iterationId, attempt, cycle, iteration, proposer, count, promptsOnly } = request;
  return {
    ...{ experimentId, iterationId, attempt, cycle, iteration, proposer, count, promptsOnly },
    domain,
    incumbent,
    weightsVersion: request.weights.version,
    archive,
    // An attempt after a failed one must not write the same again.
    seed: `${request.seed}/attempt/${attempt}`,
    known: scored,
  };
}
