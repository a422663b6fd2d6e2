import type { Projection } from '@whale/service-kit';
import { archiveEntries } from './archive-entries.ts';
import { archiveOutcomes } from './archive-outcomes.ts';

/** The archive's read model. */
export const projections: readonly Projection[] = [archiveEntries, archiveOutcomes];
