export { archiveService } from './archive.module.ts';
export { archiveDecider } from './decider.ts';
export { type ArchiveInput, type ArchiveOutput } from './events.ts';
export { type ArchiveState } from './state.ts';
export { projections as archiveProjections } from './projections/index.ts';
export { subscriptions as archiveSubscriptions } from './subscriptions.ts';
