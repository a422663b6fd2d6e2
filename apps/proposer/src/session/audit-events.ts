import type { CandidatesRequested, ProposalAudited, ProposalStep } from '@whale/contracts';
import type { SessionEnd } from '@whale/proposers';
import type { Standing } from './stored.ts';
import { NOTHING_YET, spentWith, type Totals } from './totals.ts';

type Request = CandidatesRequested['data'];
export type Counts = Pick<Extract<ProposalStep, { kind: 'ended' }>, 'wanted' | 'written' | 'valid'>;

export function audited(request: Request, sequence: number, step: ProposalStep, totals: Totals): ProposalAudited {
  const { experimentId, iterationId, attempt, proposer } = request;
  return {
    type: 'whale.proposal.audited.v1',
    data: { experimentId, iterationId, attempt, sequence, proposer: proposer.kind, step, totals },
  };
}

/** The last steps of an attempt: a call whose answer nobody waits for any more is counted as lost before the end. */
export function ending(request: Request, standing: Standing, end: SessionEnd, counts: Counts): ProposalAudited[] {
  const { sequence, totals, open } = standing;
  const ended = { kind: 'ended', ...end, ...counts } as const;
  if (open === null) return [audited(request, sequence + 1, ended, totals)];
  const { turn, model, usage, usd } = open;
  const lost = { kind: 'call-lost', turn, model, reason: 'the session ended before its answer', usage, usd } as const;
  const spent = spentWith(totals, lost);
  return [audited(request, sequence + 1, lost, spent), audited(request, sequence + 2, ended, spent)];
}

/** The only step of a session without a log. */
export function endedAtOnce(request: Request, end: SessionEnd, counts: Counts): ProposalAudited {
  return audited(request, 1, { kind: 'ended', ...end, ...counts }, NOTHING_YET);
}
