import type { CandidatesRequested } from '@whale/contracts';
import type { Domain } from '@whale/domain-api';
import type { ArchiveEntry, JudgedDraft } from '@whale/proposers';

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

export interface Batch {
  judged: readonly JudgedDraft[];
  /** Why the proposer wrote fewer than asked, in its own words. */
  reason: string | null;
}
