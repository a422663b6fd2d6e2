import type { Projection } from '@whale/service-kit';
import { acceptances } from './acceptances.ts';
import { evaluations } from './evaluations.ts';
import { experiments } from './experiments.ts';
import { phases } from './phases.ts';
import { weightSteps } from './weight-steps.ts';

/** The scheduler's read model. */
export const projections: readonly Projection[] = [experiments, phases, weightSteps, evaluations, acceptances];
