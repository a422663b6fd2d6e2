import {
  archiveDecider,
  archiveProjections,
  archiveSubscriptions,
  type ArchiveInput,
  type ArchiveState,
} from '@whale/app-archive';
import {
  patienceOf,
  replayRefusal,
  replayScheduler,
  schedulerDecider,
  schedulerProjections,
  schedulerSubscriptions,
  type SchedulerInput,
  type SchedulerState,
} from '@whale/app-scheduler';
import type { AnyEvent, ServiceName } from '@whale/contracts';
import { runToFixpoint } from '@whale/event-sourcing';
import { canonicalJson } from '@whale/kernel';
import type { Projection, Subscriptions } from '@whale/service-kit';
import type { LoggedEvent } from './logged-events.ts';

export interface Replay {
  /** Null where nothing has happened yet: the service keeps no document then. */
  state: unknown;
  decided: readonly AnyEvent[];
}

/** A service whose state is decided from events alone. */
export interface Rebuildable {
  name: ServiceName;
  subscriptions: Subscriptions;
  projections: readonly Projection[];
  initial: unknown;
  /** `heard`: what the service consumed of one experiment, in any order; `own`: what it is known to have written. */
  replay(heard: readonly AnyEvent[], own: readonly LoggedEvent[]): Replay;
  /** Parts of the state that are reported on their own. */
  parts: Readonly<Record<string, (state: never) => unknown>>;
}

const scheduler: Rebuildable = {
  name: 'scheduler',
  subscriptions: schedulerSubscriptions,
  projections: schedulerProjections,
  initial: schedulerDecider.initial,
  replay: (heard, own) => {
    // ExperimentStarted is the scheduler's own, made with the domain at hand: a fact, not a decision.
    const started = own.find(({ event }) => event.type === 'whale.experiment.started.v1');
    const end = own.map(({ event }) => event).find((event) => event.type === 'whale.experiment.ended.v1');
    if (!started && end) return replayRefusal(end);
    const inputs = heard.filter(({ type }) => type !== 'whale.experiment.submitted.v1');
    if (started) inputs.unshift(started.event);
    const known = new Map(own.map(({ id, event }) => [id, canonicalJson(event.data)]));
    const { state, decided } = replayScheduler(inputs as SchedulerInput[], known);
    return { state: state === schedulerDecider.initial ? null : state, decided };
  },
  parts: { patience: (state: SchedulerState) => patienceOf(state) },
};

const archive: Rebuildable = {
  name: 'archive',
  subscriptions: archiveSubscriptions,
  projections: archiveProjections,
  initial: archiveDecider.initial,
  replay: (heard) => {
    let state: ArchiveState = archiveDecider.initial;
    const decided: AnyEvent[] = [];
    for (const input of heard) {
      const step = runToFixpoint(archiveDecider, state, input as ArchiveInput);
      state = step.state;
      decided.push(...step.events);
    }
    return { state: state === archiveDecider.initial ? null : state, decided };
  },
  parts: {},
};

export const REBUILDABLE: readonly Rebuildable[] = [scheduler, archive];

export function hears({ subscriptions }: Rebuildable, event: AnyEvent): boolean {
  return subscriptions.consumes.some(({ type }) => type === event.type);
}

export function writes({ subscriptions }: Rebuildable, event: AnyEvent): boolean {
  return subscriptions.emits.some(({ type }) => type === event.type);
}
