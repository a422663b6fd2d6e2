import { domainLimits, type DomainLimits } from '@whale/domain-loader';
import { parseEnvironment } from '@whale/service-kit';
import { z } from 'zod';

const Config = z.object({
  /** Rollouts in flight in this process. */
  WHALE_ROLLOUT_CONCURRENCY: z.coerce.number().int().min(1).max(4096).default(96),
  WHALE_SANDBOX_WORKERS: z.coerce.number().int().min(1).max(64).default(1),
  WHALE_POLICY_WORKERS: z.coerce.number().int().min(1).max(64).default(2),
});

export interface RolloutConfig {
  concurrency: number;
  sandboxWorkers: number;
  policyWorkers: number;
  domain: DomainLimits;
}

export function rolloutConfig(environment: NodeJS.ProcessEnv): RolloutConfig {
  const parsed = parseEnvironment(Config, environment);
  return {
    concurrency: parsed.WHALE_ROLLOUT_CONCURRENCY,
    sandboxWorkers: parsed.WHALE_SANDBOX_WORKERS,
    policyWorkers: parsed.WHALE_POLICY_WORKERS,
    domain: domainLimits(environment),
  };
}
