import type {
  ExperimentCancelRequested,
  ExperimentStarted,
  RolloutFailed,
  RolloutVerified,
  VerificationFailed,
} from '@whale/contracts';
import type { SchedulerInput } from './events.ts';
import type { FailureFact, Facts, SchedulerState, VerdictFact } from './state.ts';

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
    case 'whale.weights.updated.v1':
      if (state.closedGroups.includes(`updated/${input.data.stepId}`)) return state;
      return withFacts(state, { updates: { ...facts.updates, [input.data.stepId]: { ok: true, value: input.data } } });
    case 'whale.weight-update.failed.v1': {
      const { stepId, attempt, final, error } = input.data;
      if (state.closedGroups.includes(`updated/${stepId}`)) return state;
      const known = facts.updates[stepId];
      if (known && (known.ok || known.attempt >= attempt)) return state;
      return withFacts(state, {
        updates: { ...facts.updates, [stepId]: { ok: false, attempt, final, message: error.message } },
      });
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
      const failure = later(facts.proposalFailures[iterationId], { attempt, final, message: error.message });
      return withFacts(state, { proposalFailures: { ...facts.proposalFailures, [iterationId]: failure } });
    }
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
  const { group, rolloutId, tokens } = input.data;
  // The archive counts the verdicts of a harness search; the scheduler hears its total as HarnessScored.
  if (group.purpose === 'harness' || state.closedGroups.includes(group.id)) return state;
  const verdict: VerdictFact = {
    outcome:
      input.type === 'whale.verification.failed.v1' ? 'verifier_error' : (input.data.outcome as VerdictFact['outcome']),
    prompt: tokens.prompt,
    sampled: tokens.sampled,
  };
  const { verdicts } = state.facts;
  return withFacts(state, {
    verdicts: { ...verdicts, [group.id]: { ...verdicts[group.id], [rolloutId]: verdict } },
  });
}

function rememberFailure(state: SchedulerState, input: RolloutFailed): SchedulerState {
  const { group, rolloutId, attempt, final, error } = input.data;
  if (state.closedGroups.includes(group.id)) return state;
  const { failures } = state.facts;
  const failure = later(failures[group.id]?.[rolloutId], { attempt, final, message: error.message });
  return withFacts(state, {
    failures: { ...failures, [group.id]: { ...failures[group.id], [rolloutId]: failure } },
  });
}

function later(known: FailureFact | undefined, heard: FailureFact): FailureFact {
  return known && known.attempt >= heard.attempt ? known : heard;
}

function withFacts(state: SchedulerState, facts: Partial<Facts>): SchedulerState {
  return { ...state, facts: { ...state.facts, ...facts } };
}
