import {
  eventDefinition,
  eventId,
  ExperimentEnded,
  type DomainEvent,
  type EventDefinition,
  type ExperimentCancelRequested,
} from '@whale/contracts';
import { runToFixpoint } from '@whale/event-sourcing';
import { canonicalJson } from '@whale/kernel';
import { schedulerDecider } from './decider.ts';
import type { SchedulerInput, SchedulerOutput } from './events.ts';
import type { Group, SchedulerState } from './state.ts';

/** Decisions that are on the log: canonical JSON of the data by event id. */
export type KnownDecisions = ReadonlyMap<string, string>;

export interface Replayed {
  state: SchedulerState;
  decided: readonly SchedulerOutput[];
}

/**
 * Makes the scheduler's decisions again from its inputs, in whatever order they are given (S1). A request to cancel took
 * effect at one point of the run: the last decision that is known before the end tells where.
 */
export function replayScheduler(inputs: readonly SchedulerInput[], known: KnownDecisions): Replayed {
  const cancel = inputs.find((input) => input.type === 'whale.experiment.cancel-requested.v1');
  const others = inputs.filter(({ type }) => type !== 'whale.experiment.cancel-requested.v1');
  if (!cancel) return feed(others);
  return wasCancelled(cancel, known) ? replayCancelled(others, cancel, known) : feed([...others, cancel]);
}

/** A spec that could not start has no inputs: its end is all that is known of it. */
export function replayRefusal(end: ExperimentEnded): Replayed {
  return { state: schedulerDecider.evolve(schedulerDecider.initial, end), decided: [end] };
}

/** What patience has seen: the running phase's signal, and the signals that ended phases. */
export function patienceOf(state: SchedulerState) {
  const { phase, endedPhases } = state;
  return {
    phase: phase && {
      phaseId: phase.phaseId,
      kind: phase.kind,
      count: phase.count,
      rewards: phase.rewards,
      incumbentScore: phase.incumbentScore,
      patience: phase.patience,
    },
    ended: endedPhases.map(({ phaseId, reason, signal }) => ({ phaseId, reason, signal })),
  };
}

function feed(inputs: readonly SchedulerInput[], from = schedulerDecider.initial): Replayed {
  const decided: SchedulerOutput[] = [];
  let state = from;
  for (const input of inputs) {
    const step = runToFixpoint(schedulerDecider, state, input);
    state = step.state;
    decided.push(...step.events);
  }
  return { state, decided };
}

/**
 * Feeds each input when it is waited for, and not at all when it would lead to a decision that was never made. After each
 * decision it looks from the beginning again, so that the order within a topic and key is kept.
 */
function replayCancelled(
  inputs: readonly SchedulerInput[],
  cancel: ExperimentCancelRequested,
  known: KnownDecisions,
): Replayed {
  const decided: SchedulerOutput[] = [];
  let state = schedulerDecider.initial;
  const pending = [...inputs];
  for (let i = 0; i < pending.length;) {
    const input = pending[i] as SchedulerInput;
    if (!isAwaited(state, input)) {
      i++;
      continue;
    }
    const step = runToFixpoint(schedulerDecider, state, input);
    const made = step.events.every((event) => isKnown(event, known));
    // A request to cancel that came before the start ends the experiment as it starts.
    if (!made && input.type === 'whale.experiment.started.v1') return feed([cancel, input]);
    pending.splice(i, 1);
    if (!made) continue;
    state = step.state;
    decided.push(...step.events);
    if (step.events.length > 0) i = 0;
  }
  const end = feed([cancel], state);
  return { state: end.state, decided: [...decided, ...end.decided] };
}

function isAwaited(state: SchedulerState, input: SchedulerInput): boolean {
  const { stage, groups } = state;
  switch (input.type) {
    case 'whale.experiment.started.v1':
    case 'whale.experiment.cancel-requested.v1':
      return true;
    case 'whale.rollout.failed.v1':
    case 'whale.rollout.verified.v1':
    case 'whale.verification.failed.v1':
      return isAsked(groups[input.data.group.id], input.data);
    case 'whale.weights.updated.v2':
      return stage.at === 'updating' && stage.stepId === input.data.stepId;
    case 'whale.weight-update.failed.v1':
      return stage.at === 'updating' && stage.stepId === input.data.stepId && stage.attempt >= input.data.attempt;
    case 'whale.harness.proposed.v1':
      return stage.at === 'proposing' && stage.iterationId === input.data.iterationId;
    case 'whale.proposal.failed.v1':
    case 'whale.proposal.audited.v1':
      return (
        stage.at === 'proposing' && stage.iterationId === input.data.iterationId && stage.attempt >= input.data.attempt
      );
    case 'whale.harness.scored.v1':
      return stage.at === 'scoring' && stage.evaluations.includes(input.data.evaluationId);
    default:
      return input satisfies never;
  }
}

function isKnown(event: DomainEvent, known: KnownDecisions): boolean {
  const id = eventId(eventDefinition(event.type) as EventDefinition, event.data);
  return known.get(id) === canonicalJson(event.data);
}

function isAsked(group: Group | undefined, { rolloutId, attempt }: { rolloutId: string; attempt: number }): boolean {
  return group !== undefined && (group.attempts[rolloutId] ?? 1) >= attempt;
}

function wasCancelled({ data }: ExperimentCancelRequested, known: KnownDecisions): boolean {
  const end = known.get(eventId(ExperimentEnded as EventDefinition, data));
  return end !== undefined && (JSON.parse(end) as ExperimentEnded['data']).status === 'cancelled';
}
