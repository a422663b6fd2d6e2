import type { Draft, JudgedDraft, ProposalRequest, Proposer, Rejection, SessionEnd } from '../proposer.ts';
import type { ProposalSession } from '../session.ts';

/** A session of a proposer that asks the host for nothing. */
export function bareSession(signal: AbortSignal = new AbortController().signal): ProposalSession {
  const refuse = (what: string) => async () => Promise.reject(new Error(`this session offers no ${what}`));
  return {
    signal,
    journal: [],
    judged: [],
    workspace: refuse('workspace'),
    check: refuse('check'),
    tryOut: refuse('trial'),
    record: refuse('journal'),
  };
}

export interface Driven {
  drafts: Draft[];
  judged: JudgedDraft[];
  /** What the proposer has returned; null when it was ended, or returned nothing. */
  end: SessionEnd | string | null;
}

/** Runs one session as the host does, until `request.count` drafts are valid. */
export async function drive(
  proposer: Proposer,
  request: ProposalRequest,
  judge: (draft: Draft) => Rejection | null = () => null,
  session: ProposalSession = bareSession(),
): Promise<Driven> {
  const judged: JudgedDraft[] = [];
  const drafts = (): Draft[] => judged.map(({ draft }) => draft);
  const generator = proposer.propose(request, session);
  let next = await generator.next();
  while (next.done !== true) {
    const rejection = judge(next.value);
    judged.push({ draft: next.value, rejection });
    if (judged.filter((one) => one.rejection === null).length === request.count) {
      await generator.return();
      return { drafts: drafts(), judged, end: null };
    }
    next = await generator.next(rejection);
  }
  return { drafts: drafts(), judged, end: next.value ?? null };
}
