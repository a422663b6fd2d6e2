import type {
  ErrorInfo,
  ExperimentCancelRequested,
  ExperimentStarted,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
  WeightsUpdated,
} from '@whale/contracts';
import type { SchedulerInput } from './events.ts';
import { rememberAudit } from './proposal-costs.ts';
import type { FailureFact, Facts, SchedulerState, UpdateFact, VerdictFact } from './state.ts';

type Fact = Exclude<SchedulerInput, ExperimentStarted | ExperimentCancelRequested>;

/**
 * Adds what an input says, in a way that does not depend on the order of inputs: records by id, and of two attempts
 * the later. Facts of a closed group or an ended experiment are late duplicates.
 */
export function rememberFact(state: SchedulerState, input: Fact): SchedulerState {
  if (state.stage.at === 'ended') return state;
  const { facts } = state;
  switch (input.type) {
    case 'whale.rollout.verified.v1':
    case 'whale.verification.failed.v1':
      return rememberVerdict(state, input);
    case 'whale.rollout.failed.v1':
      return rememberFailure(state, input);
    case 'whale.weights.updated.v2':
      if (state.closedGroups.includes(`updated/${input.data.stepId}`)) return state;
      return withFacts(state, { updates: { ...facts.updates, [input.data.stepId]: updateFact(input.data) } });
    case 'whale.weight-update.failed.v1': {
      const { stepId, attempt, final, error } = input.data;
      if (state.closedGroups.includes(`updated/${stepId}`)) return state;
      const failure = later(facts.updateFailures[stepId], { attempt, final, message: error.message });
      return withFacts(state, { updateFailures: { ...facts.updateFailures, [stepId]: failure } });
    }
    case 'whale.harness.proposed.v1': {
      const { iterationId, index, of, harness } = input.data;
      if (state.closedGroups.includes(iterationId)) return state;
      const known = facts.proposals[iterationId] ?? [];
      if (known.some((proposal) => proposal.index === index)) return state;
      const proposals = [...known, { index, of, harness }].sort((a, b) => a.index - b.index);
      return withFacts(state, { proposals: { ...facts.proposals, [iterationId]: proposals } });
    }
    case 'whale.proposal.failed.v1': {
      const { iterationId, attempt, final, error } = input.data;
      if (state.closedGroups.includes(iterationId)) return state;
      const heard = { attempt, final, message: error.message, ...(isBroken(error) ? { broken: true as const } : {}) };
      const failure = later(facts.proposalFailures[iterationId], heard);
      return withFacts(state, { proposalFailures: { ...facts.proposalFailures, [iterationId]: failure } });
    }
    case 'whale.proposal.audited.v1':
      return rememberAudit(state, input.data);
    case 'whale.harness.scored.v1': {
      const { evaluationId, harnessId, score, correct, measured, outcomes, tokens, incumbent } = input.data;
      if (state.closedGroups.includes(evaluationId)) return state;
      const fact = { evaluationId, harnessId, score, correct, measured, outcomes, tokens, incumbent };
      return withFacts(state, { scores: { ...facts.scores, [evaluationId]: fact } });
    }
    default:
      return input satisfies never;
  }
}

function rememberVerdict(state: SchedulerState, input: RolloutVerified | VerificationFailed): SchedulerState {
  const { group, rolloutId, attempt, tokens } = input.data;
  if (state.closedGroups.includes(group.id)) return state;
  const verdict: VerdictFact = {
    outcome:
      input.type === 'whale.verification.failed.v1' ? 'verifier_error' : (input.data.outcome as VerdictFact['outcome']),
    prompt: tokens.prompt,
    sampled: tokens.sampled,
  };
  return withFacts(state, {
    verdicts: entered(state.facts.verdicts, group.id, rolloutId, verdict),
    attempts: attempted(state, group.id, rolloutId, attempt),
  });
}

function rememberFailure(state: SchedulerState, input: RolloutFailed): SchedulerState {
  const { group, rolloutId, attempt, final } = input.data;
  if (state.closedGroups.includes(group.id)) return state;
  const { lost } = state.facts;
  return withFacts(state, {
    lost: final ? entered(lost, group.id, rolloutId, true) : lost,
    attempts: attempted(state, group.id, rolloutId, final ? attempt : attempt + 1),
  });
}

function updateFact({ batches: _decidesNothing, ...fact }: WeightsUpdated['data']): UpdateFact {
  return fact;
}

/** The highest attempt of a rollout that must have been asked for. */
function attempted(state: SchedulerState, groupId: string, rolloutId: string, attempt: number): Facts['attempts'] {
  const { attempts } = state.facts;
  const known = attempts[groupId]?.[rolloutId] ?? 1;
  return attempt > known ? entered(attempts, groupId, rolloutId, attempt) : attempts;
}

type ByRollout<Fact> = Readonly<Record<string, Readonly<Record<string, Fact>>>>;

function entered<Fact>(facts: ByRollout<Fact>, groupId: string, rolloutId: string, fact: Fact): ByRollout<Fact> {
  return { ...facts, [groupId]: { ...facts[groupId], [rolloutId]: fact } };
}

function later(known: FailureFact | undefined, heard: FailureFact): FailureFact {
  return known && known.attempt >= heard.attempt ? known : heard;
}

/** Nothing is left to propose, or to spend on this batch: the search goes on without it. */
const FRUITLESS: ReadonlySet<string> = new Set(['PROPOSER_EXHAUSTED', 'PROPOSER_LIMIT']);

/** Any other proposer that cannot go on needs a person. */
function isBroken({ code, retryable }: ErrorInfo): boolean {
  return !retryable && !FRUITLESS.has(code);
}

function withFacts(state: SchedulerState, facts: Partial<Facts>): SchedulerState {
  return { ...state, facts: { ...state.facts, ...facts } };
}
