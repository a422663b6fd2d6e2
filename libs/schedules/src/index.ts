export { estimate } from './estimate.ts';
export { promptAt, promptsAt, promptsIn } from './sampler.ts';
export { freshPatience, isExhausted, observe, windowReward, type Patience, type StepReward } from './patience.ts';
export {
  fixedWeightRange,
  harnessBounds,
  phaseAt,
  scheduleOf,
  weightBounds,
  type PhaseBounds,
  type PhaseIdentity,
  type Schedule,
} from './phase-plan.ts';
export {
  argmax,
  confirmed,
  confirmRule,
  iterationRollouts,
  type Acceptance,
  type ScoredHarness,
} from './acceptance.ts';
export { comparePaired, type PairedComparison, type TaskPair, type TaskTally } from './paired.ts';
export { argmaxAcceptsNoise, confirmAcceptsNoise, taskProbabilities, type IdenticalSearch } from './noise.ts';
