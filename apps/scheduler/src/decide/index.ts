import type { SchedulerOutput } from '../events.ts';
import { retryRequests } from '../rollouts.ts';
import type { SchedulerState } from '../state.ts';
import { decideEvaluation, decideIdle } from './between-phases.ts';
import { decideChallenge, decideConfirming } from './confirmation.ts';
import { decideCandidates, decideHarnessBegin, decideHarnessNext, decideProposing } from './harness-phase.ts';
import { experimentEnded, phaseEnded } from './result.ts';
import { decideStep, decideUpdate, decideWeightNext } from './weight-phase.ts';

/**
 * What the facts at hand allow next; nothing when the scheduler must wait. Invariants, each named by a test:
 * S1 Confluence: every interleaving of the same inputs gives the same events and the same final state. (A request to
 *    cancel is the exception: it ends the experiment wherever it arrives.)
 * S2 Within a phase one side is frozen: a weight phase changes no harness, a harness phase no weights.
 * S3 What would exceed the rollout budget is not begun.
 * S4 Validation and test outcomes never enter a decision about when a phase ends.
 * S5 With `confirm` the incumbent changes by a decision over fresh rollouts and by nothing else; state, archive and
 *    patience know the same incumbent.
 */
export function decide(state: SchedulerState): readonly SchedulerOutput[] {
  if (!state.started || state.stage.at === 'ended') return [];
  if (state.cancelReason !== null) return ending(state, 'cancelled', state.cancelReason);

  for (const group of Object.values(state.groups)) {
    const retries = retryRequests(state, group);
    if (retries.length > 0) return retries;
  }
  const { stage } = state;
  switch (stage.at) {
    case 'submitted':
    case 'scoring':
      return [];
    case 'idle':
      return decideIdle(state);
    case 'evaluating':
      return decideEvaluation(state, stage.open);
    case 'weight-next':
      return decideWeightNext(state);
    case 'stepping':
      return decideStep(state, stage.stepId);
    case 'updating':
      return decideUpdate(state, stage);
    case 'harness-begin':
      return decideHarnessBegin(state);
    case 'harness-next':
      return decideHarnessNext(state);
    case 'proposing':
      return decideProposing(state, stage);
    case 'candidates':
      return decideCandidates(state, stage.harnesses);
    case 'challenged':
      return decideChallenge(state);
    case 'confirming':
      return decideConfirming(state, stage);
    case 'failing':
      return ending(state, 'failed', stage.reason);
    default:
      return stage satisfies never;
  }
}

function ending(state: SchedulerState, status: 'failed' | 'cancelled', reason: string): SchedulerOutput[] {
  const end = experimentEnded(state, status, reason);
  return state.phase ? [phaseEnded(state, status, {}), end] : [end];
}
