export { estimate } from './estimate.ts';
export { promptAt, promptsAt, promptsIn } from './sampler.ts';
export { freshPatience, isExhausted, observe, windowReward, type Patience, type StepReward } from './patience.ts';
export {
  fixedWeightRange,
  harnessBounds,
  phaseAt,
  weightBounds,
  type PhaseBounds,
  type PhaseIdentity,
} from './phase-plan.ts';
export { argmax, type ScoredHarness } from './acceptance.ts';
