import { domainLimits, type DomainLimits } from '@whale/domain-loader';
import { parseEnvironment } from '@whale/service-kit';
import { z } from 'zod';

const Config = z.object({
  /** Verdicts in the making at once in this process. */
  WHALE_VERIFIER_CONCURRENCY: z.coerce.number().int().min(1).max(1024).default(64),
});

export interface VerifierConfig {
  concurrency: number;
  domain: DomainLimits;
}

export function verifierConfig(environment: NodeJS.ProcessEnv): VerifierConfig {
  return {
    concurrency: parseEnvironment(Config, environment).WHALE_VERIFIER_CONCURRENCY,
    domain: domainLimits(environment),
  };
}
