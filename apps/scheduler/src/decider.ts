import type { Decider } from '@whale/event-sourcing';
import { decide } from './decide/index.ts';
import type { SchedulerInput, SchedulerOutput } from './events.ts';
import { evolve } from './evolve.ts';
import { initialState, type SchedulerState } from './state.ts';

export const schedulerDecider: Decider<SchedulerState, SchedulerInput, SchedulerOutput> = {
  initial: initialState,
  evolve,
  decide,
};
