import type { ProposalSession } from '../session.ts';

/** The same session under another signal. */
export function underSignal(session: ProposalSession, signal: AbortSignal): ProposalSession {
  return {
    signal,
    journal: session.journal,
    judged: session.judged,
    workspace: () => session.workspace(),
    check: (draft) => session.check(draft),
    tryOut: (source, taskIds) => session.tryOut(source, taskIds),
    record: (entry) => session.record(entry),
  };
}
