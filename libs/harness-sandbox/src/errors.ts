import { WhaleError } from '@whale/kernel';

export type SandboxErrorCode =
  'SANDBOX_CLOSED' | 'SANDBOX_VM' | 'SANDBOX_WORKER' | 'REPLAY_DIVERGED' | 'EFFECT_RESULT' | 'DOMAIN_TYPES' | 'CHECKER';

/** What is wrong with the sandbox or its caller, never with the harness: that is the `end` of a run. */
export class SandboxError extends WhaleError {
  declare readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(code, message, options);
    this.name = 'SandboxError';
  }
}
