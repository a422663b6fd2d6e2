import { parseEnvironment } from '@whale/service-kit';
import { z } from 'zod';

const Config = z.object({
  /** Requests worked on at once in this process. */
  WHALE_PROPOSER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
});

export interface ProposerConfig {
  concurrency: number;
}

export function proposerConfig(environment: NodeJS.ProcessEnv): ProposerConfig {
  const parsed = parseEnvironment(Config, environment);
  return { concurrency: parsed.WHALE_PROPOSER_CONCURRENCY };
}
