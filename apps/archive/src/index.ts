export { archiveService } from './archive.module.ts';
export { archiveDecider } from './decider.ts';
export { type ArchiveInput, type ArchiveOutput } from './events.ts';
export { type ArchiveState } from './state.ts';
