import { parseEnvironment } from '@whale/service-kit';
import { z } from 'zod';

const Config = z.object({
  /** Requests worked on at once in this process. */
  WHALE_PROPOSER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(1),
  /** For the proposer claude; without it that one does not work. */
  ANTHROPIC_API_KEY: z.string().trim().optional(),
});

export interface ProposerConfig {
  concurrency: number;
  /** A function, so that who prints a configuration prints no key; undefined without one. */
  anthropicKey: () => string | undefined;
  /** Of which a command sees what its spec names. */
  environment: NodeJS.ProcessEnv;
}

export function proposerConfig(environment: NodeJS.ProcessEnv): ProposerConfig {
  const parsed = parseEnvironment(Config, environment);
  const key = parsed.ANTHROPIC_API_KEY || undefined;
  return { concurrency: parsed.WHALE_PROPOSER_CONCURRENCY, anthropicKey: () => key, environment };
}
