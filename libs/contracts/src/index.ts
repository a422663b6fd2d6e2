export {
  BlobRef,
  Diagnostics,
  ErrorInfo,
  Estimate,
  HarnessRef,
  Outcome,
  Split,
  WeightsRef,
} from './primitives.ts';
export {
  Effect,
  EffectRecord,
  GenerateEffect,
  Message,
  Reply,
  RolloutEnd,
  Segment,
  TokenSample,
  ToolEffect,
} from './trajectory.ts';
