import { sha256 } from '@whale/kernel';
import type { ProposalRequest } from '../proposer.ts';

/** Ids of all harnesses that a candidate may be made from. */
export function parentIds({ domain, incumbent, archive }: ProposalRequest): ReadonlySet<string> {
  return new Set([incumbent.id, sha256(domain.seedHarness), ...archive.map(({ harnessId }) => harnessId)]);
}

/** The one id that is, or begins with, what the model wrote; or what is wrong with it, for the model. */
export function resolveParent(written: string, ids: ReadonlySet<string>): { id: string } | { problem: string } {
  const found = [...ids].filter((id) => id.startsWith(written));
  const [id] = found;
  if (id !== undefined && found.length === 1) return { id };
  if (id === undefined) {
    return { problem: `No harness has an id that begins with ${written}: take one of the folders of harnesses/.` };
  }
  const some = found.slice(0, 5).map((one) => one.slice(0, written.length + 4));
  return {
    problem: `${found.length} harnesses have ids that begin with ${written}, e.g. ${some.join(', ')}: write more.`,
  };
}
