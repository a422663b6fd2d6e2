import type { Ledger, ProposalAudited } from '@whale/contracts';
import { without } from './groups.ts';
import type { ProposalCost, SchedulerState } from './state.ts';

/**
 * What proposals cost. Invariants, each named by a test:
 * L1 An attempt counts as one call when it is asked for; its audit says how many calls of the model it really was.
 * L2 Each attempt is counted once, and only by the step that ended it before its answer: what comes after the answer (a
 *    process that was taken for dead) counts nothing, so that the ledger is the same under any interleaving.
 */
export function rememberAudit(state: SchedulerState, audit: ProposalAudited['data']): SchedulerState {
  const { iterationId, attempt, step, totals } = audit;
  if (step.kind !== 'ended' || isAnswered(state, iterationId, attempt)) return state;
  const known = state.facts.audits?.[iterationId];
  const cost: ProposalCost = { calls: totals.calls, tokens: totals.tokens, usd: totals.usd };
  const audits = { ...state.facts.audits, [iterationId]: { ...known, [attempt]: cost } };
  return { ...state, facts: { ...state.facts, audits } };
}

/** Enters the audited attempts of an iteration below `before` in the ledger, and forgets them. */
export function settleAudits(state: SchedulerState, iterationId: string, before = Infinity): SchedulerState {
  const { audits, ...facts } = state.facts;
  const known = audits?.[iterationId];
  if (!audits || !known) return state;
  const attempts = Object.keys(known)
    .map(Number)
    .sort((a, b) => a - b);
  const due = attempts.filter((attempt) => attempt < before);
  const proposer = due.reduce((sum, attempt) => added(sum, known[attempt] as ProposalCost), state.ledger.proposer);
  const later = Object.fromEntries(attempts.filter((one) => one >= before).map((one) => [one, known[one]]));
  const open = Object.keys(later).length > 0 ? { ...audits, [iterationId]: later } : without(audits, iterationId);
  return {
    ...state,
    // Without audits the state is what it was before there were any.
    facts: Object.keys(open).length > 0 ? { ...facts, audits: open as typeof audits } : facts,
    ledger: { ...state.ledger, proposer },
  };
}

function added(sum: Ledger['proposer'], { calls, tokens, usd }: ProposalCost): Ledger['proposer'] {
  // One call is in the ledger since the attempt was asked for.
  return { calls: sum.calls + Math.max(0, calls - 1), tokens: sum.tokens + tokens, usd: sum.usd + usd };
}

function isAnswered({ facts, closedGroups }: SchedulerState, iterationId: string, attempt: number): boolean {
  const proposals = facts.proposals[iterationId];
  const failure = facts.proposalFailures[iterationId];
  return (
    closedGroups.includes(iterationId) ||
    (proposals !== undefined && proposals.length === proposals[0]?.of) ||
    (failure !== undefined && failure.attempt >= attempt)
  );
}
