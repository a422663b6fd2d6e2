import { z } from 'zod';
import { parseEnvironment } from '../environment.ts';
import type { PostgresOptions } from './postgres-database.ts';

const VARIABLES = z.object({
  /** Most connections to PostgreSQL of one process. */
  WHALE_DATABASE_POOL: z.coerce.number().int().min(1).max(1_000).default(10),
});

/** Reads what an operator may set of the connections. Throws InputError. */
export function postgresOptions(environment: NodeJS.ProcessEnv): PostgresOptions {
  return { pool: parseEnvironment(VARIABLES, environment).WHALE_DATABASE_POOL };
}
