import { parseEnvironment } from '@whale/service-kit';
import { z } from 'zod';

export interface HealthSettings {
  /** TCP port; 0 takes a free one, null: no health endpoints. */
  port: number | null;
  host: string;
  /** A part that has made no progress for so long is stuck, ms. */
  stuckMs: number;
}

const unset = (value: unknown) => (value === '' ? undefined : value);
const Variables = z.object({
  WHALE_HEALTH_PORT: z.preprocess(unset, z.coerce.number().int().min(0).max(65_535).optional()),
  WHALE_HEALTH_HOST: z.preprocess(unset, z.string().default('0.0.0.0')),
  WHALE_HEALTH_STUCK_MS: z.preprocess(unset, z.coerce.number().int().min(1_000).default(60_000)),
});

/** Throws InputError. */
export function healthSettings(environment: NodeJS.ProcessEnv): HealthSettings {
  const variables = parseEnvironment(Variables, environment);
  return {
    port: variables.WHALE_HEALTH_PORT ?? null,
    host: variables.WHALE_HEALTH_HOST,
    stuckMs: variables.WHALE_HEALTH_STUCK_MS,
  };
}
