export {
  checkHarness,
  HarnessChecker,
  type CheckOptions,
  type CheckResult,
  type HarnessCheckerOptions,
} from './check/harness-checker.ts';
export { sameBehaviour, type RecordedRollout } from './check/behaviour.ts';
export type { Literal, Problem } from './check/protocol.ts';
export { fromRecords, type SmokeProblem, type SmokeRun } from './check/smoke.ts';
export { SandboxError, type SandboxErrorCode } from './errors.ts';
export { HarnessSandbox, type HarnessSandboxOptions, type RunInput } from './harness-sandbox.ts';
export { harnessTypes } from './harness-types.ts';
export { HarnessLimits, sandboxLimits, type HarnessLimitsInput } from './limits.ts';
export type { HarnessErrorCode } from './protocol.ts';
export type { EffectHandler, HarnessRun } from './rollout-run.ts';
