export { SandboxError, type SandboxErrorCode } from './errors.ts';
export { HarnessSandbox, type HarnessSandboxOptions, type RunInput } from './harness-sandbox.ts';
export { HarnessLimits, type HarnessLimitsInput } from './limits.ts';
export type { HarnessErrorCode } from './protocol.ts';
export type { EffectHandler, HarnessRun } from './rollout-run.ts';
