import { tokensUsed, type ProposalTotals } from '@whale/contracts';
import type { OwnStep } from '@whale/proposers';

export type Totals = Readonly<ProposalTotals>;

export const NOTHING_YET: Totals = { calls: 0, tokens: 0, usd: 0, bytesRead: 0 };

/** A call whose answer was lost counts like any other. */
export function spentWith(totals: Totals, step: OwnStep): Totals {
  if (step.kind === 'tool') return { ...totals, bytesRead: totals.bytesRead + step.bytes };
  return {
    ...totals,
    calls: totals.calls + 1,
    tokens: totals.tokens + tokensUsed(step.usage),
    usd: totals.usd + step.usd,
  };
}
