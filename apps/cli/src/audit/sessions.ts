import {
  CandidatesRequested,
  HarnessProposed,
  ProposalAudited,
  ProposalFailed,
  type EventEnvelope,
  type ProposalStep,
  type ProposalTotals,
  type TopicName,
} from '@whale/contracts';

export const AUDIT_TOPICS: readonly TopicName[] = ['whale.schedule.v1', 'whale.harnesses.v1'];
export const AUDIT_TYPES: ReadonlySet<string> = new Set(
  [CandidatesRequested, HarnessProposed, ProposalAudited, ProposalFailed].map(({ type }) => type),
);

export interface AuditedStep {
  sequence: number;
  /** ISO 8601, by the proposer's clock. */
  time: string;
  step: ProposalStep;
  /** So far, this step included. */
  totals: ProposalTotals;
}

/** One attempt at a batch of candidates. */
export interface AuditedSession {
  /** Counts the iterations of the experiment over all cycles, from 1. */
  iteration: number;
  cycle: number;
  /** Counts those of the cycle, from 1. */
  iterationOfCycle: number;
  attempt: number;
  /** Counts the experiment's requests for candidates, from 1: `whale workspace --at` shows what this one was made from. */
  request: number;
  proposer: string;
  /** M */
  wanted: number;
  /** Valid candidates that came of it; null while it goes on. */
  valid: number | null;
  steps: AuditedStep[];
}

/** The sessions of an experiment in the order of its requests. Doubles of redelivery do no harm. */
export function auditedSessions(events: readonly EventEnvelope[]): AuditedSession[] {
  const sessions = new Map<string, AuditedSession>();
  const iterations = new Map<string, number>();
  const key = (iterationId: string, attempt: number): string => JSON.stringify([iterationId, attempt]);
  for (const { event } of events) {
    if (event.type !== CandidatesRequested.type) continue;
    const { iterationId, attempt, cycle, iteration, proposer, count } = event.data;
    if (sessions.has(key(iterationId, attempt))) continue;
    iterations.set(iterationId, iterations.get(iterationId) ?? iterations.size + 1);
    sessions.set(key(iterationId, attempt), {
      iteration: iterations.get(iterationId) as number,
      cycle,
      iterationOfCycle: iteration,
      attempt,
      request: sessions.size + 1,
      proposer: proposer.kind,
      wanted: count,
      valid: null,
      steps: [],
    });
  }
  for (const { event, time } of events) {
    if (event.type === ProposalAudited.type) {
      const { iterationId, attempt, sequence, step, totals } = event.data;
      const steps = sessions.get(key(iterationId, attempt))?.steps;
      if (steps?.every((one) => one.sequence !== sequence)) steps.push({ sequence, time, step, totals });
    } else if (event.type === ProposalFailed.type) {
      const failed = sessions.get(key(event.data.iterationId, event.data.attempt));
      if (failed) failed.valid = 0;
    } else if (event.type === HarnessProposed.type) {
      // Candidates name no attempt: they are the last one's, since a next is asked for only where there are none.
      const attempts = [...sessions.values()].filter((one) => one.iteration === iterations.get(event.data.iterationId));
      const last = attempts.at(-1);
      if (last) last.valid = event.data.of;
    }
  }
  for (const { steps } of sessions.values()) steps.sort((a, b) => a.sequence - b.sequence);
  return [...sessions.values()];
}
