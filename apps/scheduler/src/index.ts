export { schedulerService } from './scheduler.module.ts';
export { schedulerDecider } from './decider.ts';
export { type SchedulerInput, type SchedulerOutput } from './events.ts';
export { type SchedulerState } from './state.ts';
export { projections as schedulerProjections } from './projections/index.ts';
export { subscriptions as schedulerSubscriptions } from './subscriptions.ts';
export { patienceOf, replayRefusal, replayScheduler, type KnownDecisions } from './replay.ts';
