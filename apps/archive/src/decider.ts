import type { Decider } from '@whale/event-sourcing';
import { decide } from './decide.ts';
import type { ArchiveInput, ArchiveOutput } from './events.ts';
import { evolve } from './evolve.ts';
import { initialState, type ArchiveState } from './state.ts';

export const archiveDecider: Decider<ArchiveState, ArchiveInput, ArchiveOutput> = {
  initial: initialState,
  evolve,
  decide,
};
